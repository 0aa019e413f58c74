-- no transaction
-- Logins in the SuperTokens core by the id of their user there, which calls of clients name.
drop index concurrently if exists handed_over_logins_by_core_id;
create index concurrently handed_over_logins_by_core_id on handed_over_logins (core_id);
