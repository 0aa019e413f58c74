-- no transaction
-- Which secrets are needed, and by how many: a start looks whether all of them are configured. Logins without a secret, nearly all,
-- are not in it. Those of external_scrypt without an id have theirs in the setting external_password_hashing_signer_key.
drop index concurrently if exists password_logins_by_secret;
create index concurrently password_logins_by_secret on password_logins (hash_secret_id)
  where hash_secret_id is not null or hash_algorithm = 'external_scrypt';
