"""The one ruler for all papers: settings of methods, measured on a kind of texts under the same attackers."""
