-- Whose address is it? (docs/adr/0057-whose-address.md)

-- Whether a call of this service has given the login its address. The legacy system knows the login under another address,
-- so that what it says about this one is about somebody else. Null: no; rows that a rollback puts back may lack the column.
alter table password_logins add column email_set_here boolean;

-- SHA-256 of the addresses of users who were removed here, and who must not come back through the legacy system.
create table removed_addresses (
  digest bytea primary key,
  removed_at timestamptz not null default now()
);
