"""What knows English: words, sentences, names, synonyms, and which words stand beside which."""
