-- Password logins without a hash (docs/adr/0040-legacy-sign-in.md). Their hash, algorithm and class are null, and `no_hash` says why.
-- Dropping `not null` reads no rows, and a check that is not validated does not either: rows that are there have a hash.

-- unset: the password can only be reset. waiting: the legacy system verifies it at the first sign-in. Null: there is a hash.
alter table password_logins add column no_hash text collate "C";
alter table password_logins alter column password_hash drop not null;
alter table password_logins alter column hash_algorithm drop not null;
alter table password_logins add constraint password_logins_no_hash_check
  check ((password_hash is null) = (no_hash is not null) and (hash_algorithm is null) = (no_hash is not null)
    and (no_hash is null or no_hash in ('unset', 'waiting'))) not valid;

alter table replaced_hashes add column no_hash text collate "C";
alter table replaced_hashes alter column password_hash drop not null;
alter table replaced_hashes alter column hash_algorithm drop not null;
alter table replaced_hashes add constraint replaced_hashes_no_hash_check
  check ((password_hash is null) = (no_hash is not null) and (hash_algorithm is null) = (no_hash is not null)) not valid;

-- Null: the login has no hash since.
alter table hash_changes alter column hash_algorithm drop not null;

-- moved-in: hashed here when the legacy system had verified the password.
alter table password_logins drop constraint password_logins_hash_set_by_check;
alter table password_logins add constraint password_logins_hash_set_by_check
  check (hash_set_by in ('import', 'user', 'rehash', 'moved-in')) not valid;
alter table hash_changes drop constraint hash_changes_changed_by_check;
alter table hash_changes add constraint hash_changes_changed_by_check
  check (changed_by in ('import', 'user', 'rehash', 'wrap', 'rollback', 'moved-in')) not valid;
