"""MPNet, wired from layers: RoBERTa with a bias for each distance."""
