--
-- PostgreSQL database dump
--

\restrict HYBBjPh7DhHmCQp6MpsMgUbe6lrVac1MRF6Ek6rYAngxt55qhn1DpGe9W4dihTh

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
-- Name: password; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.password (
    email text NOT NULL,
    hash bytea NOT NULL,
    username text NOT NULL,
    user_id text NOT NULL,
    preferred_username text DEFAULT ''::text NOT NULL,
    groups bytea DEFAULT convert_to('[]'::text, 'UTF8'::name) NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    email_verified boolean
);


ALTER TABLE public.password OWNER TO postgres;

--
-- Data for Name: password; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.password (email, hash, username, user_id, preferred_username, groups, name, email_verified) FROM stdin;
ada@example.org	\\x243261243130246a6f783743477568623448706366445677594e457475527251485555744334715734715a2e5a765055734a6b5a70464b642e50492e	ada	u-1001		\\x6e756c6c		\N
o'brien@example.org	\\x243261243130246d3935575a452e336e59573533593774586d38306b2e654d6b686579725237332f476a6e69743776767243515076314b44555a6975	Miles "Chief" O'Brien\\	u-1002		\\x6e756c6c		\N
zoe@example.org	\\x243261243130246c554c50793361685063796f395059676a5a2f716d754e783550566f52486357512f69783774757431792f53306466646f69483879	Zoë 绘	u-1003		\\x6e756c6c		\N
grace@example.org	\\x243261243130243064565059304f64637879337972712e7534777251654b3061386d4d4d5554445070734875366f587448676e754e71514e4d325561	grace	u-1004		\\x6e756c6c		\N
\.


--
-- Name: password password_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.password
    ADD CONSTRAINT password_pkey PRIMARY KEY (email);


--
-- PostgreSQL database dump complete
--

\unrestrict HYBBjPh7DhHmCQp6MpsMgUbe6lrVac1MRF6Ek6rYAngxt55qhn1DpGe9W4dihTh

