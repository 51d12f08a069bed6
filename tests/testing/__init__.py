"""What tests share: sites, worlds, crawls and commands."""
