"""Third parties behind our ports: sentence encoders, chat endpoints and local weights."""
