"""SynTF's tables and figures on 20 newsgroups."""
