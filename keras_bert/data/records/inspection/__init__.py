"""What record files hold, measured over all records and shown for a few."""
