-- What people call an import: the system and the files that it reads. Only shown.
alter table imports add column name text;
