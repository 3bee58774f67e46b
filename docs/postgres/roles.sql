-- The roles of Plumbline in PostgreSQL, with the least rights that each needs.
--
--   plumbline_owner     owns the tables; "plumbline migrate" creates and changes them with it
--   plumbline_service   reads and writes rows; "plumbline serve" and the other commands use it
--
-- A superuser runs this script in the database of Plumbline, for instance:
--
--   createdb --encoding=UTF8 --template=template0 plumbline
--   psql --dbname=plumbline --set=ON_ERROR_STOP=1 --file=docs/postgres/roles.sql
--   psql --dbname=plumbline --command='\password plumbline_owner' --command='\password plumbline_service'
--
-- It may run again at any time, before the tables are created and after.

begin;

do $$
begin
  if not exists (select 1 from pg_roles where rolname = 'plumbline_owner') then
    create role plumbline_owner login;
  end if;
  if not exists (select 1 from pg_roles where rolname = 'plumbline_service') then
    create role plumbline_service login;
  end if;
end $$;

alter role plumbline_owner login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role plumbline_service login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

-- Only the two roles connect to the database, and neither makes temporary tables there.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('revoke all on database %I from plumbline_owner, plumbline_service', current_database());
  execute format('grant connect on database %I to plumbline_owner, plumbline_service', current_database());
end $$;

revoke all on schema public from public, plumbline_owner, plumbline_service;
grant usage, create on schema public to plumbline_owner;
grant usage on schema public to plumbline_service;

-- Rights to the tables that the owner has created, and to those that it will create.
revoke all on all tables in schema public from plumbline_service;
revoke all on all sequences in schema public from plumbline_service;
grant select, insert, update, delete on all tables in schema public to plumbline_service;
grant usage, select on all sequences in schema public to plumbline_service;
alter default privileges for role plumbline_owner in schema public
  grant select, insert, update, delete on tables to plumbline_service;
alter default privileges for role plumbline_owner in schema public
  grant usage, select on sequences to plumbline_service;

commit;
