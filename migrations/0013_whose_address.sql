-- Whose address is it? (docs/adr/0057-whose-address.md)

-- Call of this service that has given the login its address. Null: an import or the legacy system; rows that a rollback puts
-- back may lack the column. After a change, the legacy system knows the login under another address, so that what it says
-- about this one is about somebody else.
alter table password_logins add column email_set_by text collate "C";
alter table password_logins add constraint password_logins_email_set_by_check
  check (email_set_by in ('sign-up', 'change')) not valid;

-- SHA-256 of the addresses of users who were removed here, and who must not come back through the legacy system.
create table removed_addresses (
  digest bytea primary key,
  removed_at timestamptz not null default now()
);
