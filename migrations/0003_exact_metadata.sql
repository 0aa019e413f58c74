-- User metadata, and the forms of staged users, are kept as the JSON text that came. As jsonb their numbers were rewritten:
-- 1e308 became 309 digits, which made a listing of staged users sixty times as long as what was sent, -0 became 0, and members
-- were put into another order. What was written so stays as it is; casting to jsonb where it is read is always possible.
--
-- A column that changes its type has its table rewritten, under a lock that nobody reads or writes beside. No other
-- column of these tables changes, and no index of users or staged_users has these columns in it.

alter table users alter column metadata type text using metadata::text;
alter table staged_users alter column user_form type text using user_form::text;
-- Written as jsonb, a form has spaces that it came without.
update staged_users set form_bytes = octet_length(user_form);
