"""Fine-tuning and inference on tokenized examples."""
