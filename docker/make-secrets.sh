#!/bin/sh
# Makes the secrets that docker-compose.yml reads, each in a file of its own under docker/secrets, and leaves alone what
# is there. Keep them: what the master key wraps cannot be read without it.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
chmod 755 secrets
make() {
  [ -e "secrets/$1" ] || printf '%s' "$2" >"secrets/$1"
  # Read by the containers' own users; the folder is yours to shut.
  chmod 644 "secrets/$1"
}
make mongo_root_password "$(openssl rand -hex 32)"
make mongo_password "$(openssl rand -hex 32)"
make mongo_retention_password "$(openssl rand -hex 32)"
make mongo_rotator_password "$(openssl rand -hex 32)"
make mongo_keyfile "$(openssl rand -base64 512 | tr -d '\n')"
make master_key "$(openssl rand -hex 32)"
make internal_secret "$(openssl rand -hex 32)"
make admin_api_key "$(openssl rand -hex 32)"
uri() {
  echo "mongodb://$1:$(cat "secrets/$2")@mongo:27017/eas?replicaSet=rs0&authSource=admin"
}
make mongodb_uri "$(uri eas mongo_password)"
make mongodb_retention_uri "$(uri eas-retention mongo_retention_password)"
make mongodb_rotator_uri "$(uri eas-rotator mongo_rotator_password)"
echo "secrets are in $(pwd)/secrets"
