-- Lines of imports that failed, so that they can be listed a page at a time, by code too: those of dry runs, and those of imports
-- that were rolled back. `import_chunks` has them as well, among all that a resumed import must report again.
create table import_failures (
  import_id text collate "C" not null,
  -- No line of the chunk comes after this one, and none of the chunk before it comes after the last line of that.
  last_line bigint not null,
  code text collate "C" not null,
  count integer not null,
  -- In order: [[line, message], …].
  lines jsonb not null,
  written_at timestamptz not null default now(),
  primary key (import_id, last_line, code)
);

insert into import_failures (import_id, last_line, code, count, lines, written_at)
select import_id, chunk.first_line + chunk.lines - 1, entry -> 1 ->> 'code', count(*),
  jsonb_agg(jsonb_build_array(chunk.first_line + (entry ->> 0)::int, entry -> 1 -> 'message') order by (entry ->> 0)::int),
  written_at
from import_chunks chunk cross join jsonb_array_elements(outcomes) entry
where entry -> 1 ->> 'status' = 'FAILED'
group by import_id, chunk.first_line, entry -> 1 ->> 'code';

create index import_failures_by_code on import_failures (import_id, code, last_line);
create index import_failures_by_time on import_failures (written_at);

-- How many lines the sender said there are. Null: it did not say.
alter table imports add column total_lines bigint;
-- Failed lines by code: {"EMAIL_INVALID": 2, …}.
alter table imports add column failure_codes jsonb not null default '{}';
-- When something of it was recorded last. Null: before this was kept.
alter table imports add column updated_at timestamptz;
-- Since when its last run has it in hand. Null: that run has ended. One that was killed could not say so.
alter table imports add column run_started_at timestamptz;
-- Since when some of its failed lines are on record no more.
alter table imports add column failures_expired_at timestamptz;

update imports set failure_codes = failed.codes
from (
  select import_id, jsonb_object_agg(code, sum) as codes
  from (select import_id, code, sum(count) as sum from import_failures group by import_id, code) by_code
  group by import_id
) failed
where imports.import_id = failed.import_id;
