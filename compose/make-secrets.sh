#!/bin/sh
# Makes the passwords of the composed database at the first start, each readable by its one user, and
# leaves alone those that are there.
#     make-secrets.sh ADMINISTRATOR-DIR POSTGRES-UID LOGIN-DIR ISLET-UID
set -eu
umask 077

password() { od -An -v -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# Under another name first: a file that is there is whole.
keep() { # FILE UID TEXT
    [ -s "$1" ] && return
    printf '%s\n' "$3" > "$1.new"
    chmod 0400 "$1.new"
    chown "$2" "$1.new"
    mv "$1.new" "$1"
}

keep "$1/password" "$2" "$(password)"
keep "$3/database-url" "$4" "postgresql://islet_service:$(password)@postgres/islet"
# The users pass through, and make nothing here.
chmod 0755 "$1" "$3"
