"""What do we know?  Tables, links, hosts and history, and how one more answer changes them."""
