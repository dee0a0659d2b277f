"""Fine-tuning programs: flags, hyperparameter search and output files."""
