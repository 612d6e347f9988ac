#!/bin/sh
# Makes the roles that Islet works as, with the password of its URL. Runs before every start of Islet,
# as the database's administrator over the Unix socket; a second time it changes nothing else.
#     make-roles.sh ROLES.SQL DATABASE-URL-FILE
set -eu

url=$(cat "$2")
password=${url#*://*:}
password=${password%%@*}
# By standard input: others can read command lines. Hexadecimal digits need no quoting.
case $password in
    '' | *[!0-9a-f]*) echo "$2 holds no password that make-secrets.sh made" >&2; exit 1 ;;
esac
# No line of the database's log shows it either.
{
    echo "SET log_statement = 'none'; SET log_min_error_statement = 'panic';"
    cat "$1"
    echo "ALTER ROLE islet_service PASSWORD '$password';"
    echo "ALTER ROLE islet_visitor PASSWORD '$password';"
} | psql --no-psqlrc --quiet --single-transaction --set=ON_ERROR_STOP=1
