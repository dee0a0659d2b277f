"""DistilBERT: BERT of half the depth, without segments and pooler."""
