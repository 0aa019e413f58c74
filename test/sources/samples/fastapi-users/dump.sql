--
-- PostgreSQL database dump
--

\restrict HGJZPia8CuXyAAmCEqHJY6L7JM4CK0EAZMUrZMZCcVeNObNov2XWRnJozIZN3Tn

-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: oauth_account; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.oauth_account (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    oauth_name character varying(100) NOT NULL,
    access_token character varying(1024) NOT NULL,
    expires_at integer,
    refresh_token character varying(1024),
    account_id character varying(320) NOT NULL,
    account_email character varying(320) NOT NULL
);


ALTER TABLE public.oauth_account OWNER TO postgres;

--
-- Name: user; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."user" (
    id uuid NOT NULL,
    email character varying(320) NOT NULL,
    hashed_password character varying(1024) NOT NULL,
    is_active boolean NOT NULL,
    is_superuser boolean NOT NULL,
    is_verified boolean NOT NULL
);


ALTER TABLE public."user" OWNER TO postgres;

--
-- Data for Name: oauth_account; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.oauth_account (id, user_id, oauth_name, access_token, expires_at, refresh_token, account_id, account_email) FROM stdin;
a359ae42-a086-41ee-80a9-a1062fc62ac2	58a79c41-ce6d-4aee-bccd-c973d89436d3	google	ya29.secret-access	1900000000	1//refresh-secret	people/110000000000000000017	social@example.org
e712d5cd-aa6c-420e-92ae-4aba91e6f129	d3c08512-1cf6-46da-9c49-01775968522a	github	gho_secret	\N	\N	9001	both@example.org
\.


--
-- Data for Name: user; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."user" (id, email, hashed_password, is_active, is_superuser, is_verified) FROM stdin;
e464ea86-b204-408c-94a9-031803f95c9b	o'hara@example.org	$argon2id$v=19$m=256,t=1,p=1$I9XwNlPrZKG7xcNfoxfBeg$3zCBTgNLdV3/Hw/73qu92/yWfL3Eb8XEcI9YeNDp9II	t	f	f
391cad7f-07a8-4501-bb42-f3934fa6bcbb	zoe@example.org	$argon2id$v=19$m=256,t=1,p=1$0rQkcJnYAiveDJ9EChYirw$ad5yvC1f4MZBRh7jg77kIy6BwvEx6eXWP2+6PxH/Cac	t	f	f
e632a645-6c21-4cd9-a445-a8cc60c70ce5	Mixed.Case@example.org	$argon2id$v=19$m=256,t=1,p=1$CLmCRIepx6BSJ51VFnizcg$DYviDXsi9g1lWnBfVrhg3ytOZig0qJ8Unpt+65Mddj4	t	f	f
d3c08512-1cf6-46da-9c49-01775968522a	both@example.org	$argon2id$v=19$m=256,t=1,p=1$EUIxgIjqTYdMvy99Q4/7wg$u0HjuAafjmp02qv0/6sBQIi9oEuz1NLccJ+R3Dxiq6w	t	f	f
decce033-8b91-4aeb-8268-9a11ee24cc3d	ada@example.org	$argon2id$v=19$m=256,t=1,p=1$Nkf7pt/yBWz8mrYAXZIX5w$x8SUPxc0cFztCRya43xtQuN5djRp8nszPUN0G/HI7R0	t	f	t
3f15b046-c1ac-449f-9f54-f428c7bfa15b	off@example.org	$argon2id$v=19$m=256,t=1,p=1$4aZVxqy6YeLFvHc9iTKBhg$TN5FWDKuW7RRoHRli1ooEmCWDv3KcI/1o0eEGyBNjjo	f	f	t
58a79c41-ce6d-4aee-bccd-c973d89436d3	social@example.org	$argon2id$v=19$m=256,t=1,p=1$PMEl57YhKf1MRJxNfA1rxQ$jtYWuiqs9qIsmOAKRiCLsGcJmWJIi5mHmFY1/M3fBdo	t	f	t
f7865957-2047-4dc5-b016-71d726dd1fcf	old@example.org	$2b$04$Dr2vKXKDHXqUTC8kQVOGDu23PEJVEujM9kbIUIfaPbd6dEogGQ8P6	t	f	t
\.


--
-- Name: oauth_account oauth_account_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.oauth_account
    ADD CONSTRAINT oauth_account_pkey PRIMARY KEY (id);


--
-- Name: user user_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_pkey PRIMARY KEY (id);


--
-- Name: ix_oauth_account_account_id; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_oauth_account_account_id ON public.oauth_account USING btree (account_id);


--
-- Name: ix_oauth_account_oauth_name; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX ix_oauth_account_oauth_name ON public.oauth_account USING btree (oauth_name);


--
-- Name: ix_user_email; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX ix_user_email ON public."user" USING btree (email);


--
-- Name: oauth_account oauth_account_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.oauth_account
    ADD CONSTRAINT oauth_account_user_id_fkey FOREIGN KEY (user_id) REFERENCES public."user"(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict HGJZPia8CuXyAAmCEqHJY6L7JM4CK0EAZMUrZMZCcVeNObNov2XWRnJozIZN3Tn

