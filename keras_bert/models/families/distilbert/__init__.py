"""DistilBERT, wired from layers: BERT of half the depth, without segments."""
