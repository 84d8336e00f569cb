"""What is handed out: wheel, sdist, bill of materials, one-file program, wheels for a site without network, hash list."""
