-- Imports for which an external id alone shows that a line is about a user (docs/adr/0054-one-line-for-each-external-id.md).

alter table imports add column trust_external_ids boolean not null default false;
