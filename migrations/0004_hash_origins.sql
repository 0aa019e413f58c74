-- The configured secret that a hash was made with: its id, never the secret itself. Null: none, or the one its algorithm always had.
alter table password_logins add column hash_secret_id text collate "C";
alter table replaced_hashes add column hash_secret_id text collate "C";
-- How hard the hash is to guess today. Null: written before this was kept; then the algorithm tells.
alter table password_logins add column hash_class text collate "C";
alter table replaced_hashes add column hash_class text collate "C";
-- Where the service put a hash of its own in the place of an imported one: a keyed fingerprint of that one, by which an import
-- sees that a line is still the same (src/passwords/hash-fingerprint.ts).
alter table password_logins add column imported_fingerprint bytea;
alter table replaced_hashes add column imported_fingerprint bytea;

-- `not valid`: what is there met a narrower rule, and needs no reading.
alter table hash_changes drop constraint hash_changes_changed_by_check;
alter table hash_changes add constraint hash_changes_changed_by_check
  check (changed_by in ('import', 'user', 'rehash', 'wrap', 'rollback')) not valid;

-- Hashes written, by algorithm and class: {"bcrypt": {"strong": 2}, …}.
alter table imports add column classes jsonb not null default '{}';
-- The secret of hashes whose lines named none, as the caller sent it: who resumes the import must send it again.
alter table imports add column hashing_secret_id text collate "C";
