-- Before 0013 it was not recorded what a call has changed of a login, so each change counts as one of the address.
update password_logins set email_set_by = 'change'
where changed_at is not null and changed_at is distinct from changed_by_import_at;
