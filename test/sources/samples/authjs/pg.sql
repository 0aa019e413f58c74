--
-- PostgreSQL database dump
--

\restrict 3FkvPs8SB2damJMYTNrHfc8un3XVf85K3gKjPQjF3ZJnD0I6MbQEtojXgTwL6f4

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
-- Name: accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.accounts (
    id integer NOT NULL,
    "userId" integer NOT NULL,
    type character varying(255) NOT NULL,
    provider character varying(255) NOT NULL,
    "providerAccountId" character varying(255) NOT NULL,
    refresh_token text,
    access_token text,
    expires_at bigint,
    id_token text,
    scope text,
    session_state text,
    token_type text
);


--
-- Name: accounts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.accounts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: accounts_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.accounts_id_seq OWNED BY public.accounts.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id integer NOT NULL,
    name character varying(255),
    email character varying(255),
    "emailVerified" timestamp with time zone,
    image text,
    password_hash text,
    status text DEFAULT 'active'::text,
    two_factor_secret text,
    preferences jsonb
);


--
-- Name: users_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: users_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;


--
-- Name: accounts id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts ALTER COLUMN id SET DEFAULT nextval('public.accounts_id_seq'::regclass);


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.accounts (id, "userId", type, provider, "providerAccountId", refresh_token, access_token, expires_at, id_token, scope, session_state, token_type) FROM stdin;
1	7	oauth	google	10987654321	1//secret	ya29.secret	1	eyJhbGciOi.x.y	x	\N	bearer
2	8	oauth	github	5544	\N	gho_x	\N	\N		\N	bearer
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.users (id, name, email, "emailVerified", image, password_hash, status, two_factor_secret, preferences) FROM stdin;
1	Ada	ada@example.org	2024-11-25 08:18:05.01+00	\N	$2b$04$qdD289MBrcQzPq7arqmXdOxevBEMRqV5Kfl470qVIPrsttkiaa7AK	active	\N	{"q": "a\\"b\\\\c", "theme": "dark", "apiToken": "9f8e7d6c5b4a39281706"}
2	Zoë 绘	zoe@example.org	2024-11-25 08:18:05.127+00	\N	$2b$04$.pulqK4hrA.bg7wUZfqPJ.1ZRqo8exXyWEQ7tAknHHol.Hy/HvqR.	active	\N	\N
3	O'Brien \\	OBrien@Example.org	2024-11-25 08:18:05.138+00	\N	$2b$04$dbHFKS88T05X0Z3bSQ6K3e43W.aIpIN4YqWeMqljs/e2muHYdZkrC	active	\N	\N
4	\N	unv@example.org	\N	\N	$2b$04$2PjLcabwRL4Z81FbnHm9XOjcSbly525KCz2E2/ABjqwxTWSrTvev6	active	\N	\N
5	\N	susp@example.org	2024-11-25 08:18:05.165+00	\N	$2b$04$2QIQpgtXP/x9Cb9RCh2uF.3e7nvAbYxUes7A2SR7pJ9w/7c3QztQ6	suspended	\N	\N
6	\N	mfa@example.org	2024-11-25 08:18:05.172+00	\N	$2b$04$UvH9vvoxrbT9ilc8FtDpjeQaTGUSUJy.RFNxr/6iHdKf0KUaGQaHa	active	JBSWY3DPEHPK3PXP	\N
7	Soc	soc@example.org	2024-11-25 08:18:05.189+00	https://x/y.png	\N	active	\N	\N
8	\N	git@example.org	2024-11-25 08:18:05.547+00	\N	$2b$04$b2Qaiag18kD2PVH5sSXriOlkf60WwmtTGNbA.drLChTGdfsgCfADi	active	\N	\N
10	\N	magic@example.org	2024-11-25 08:18:06.263+00	\N	\N	active	\N	\N
\.


--
-- Name: accounts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.accounts_id_seq', 2, true);


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.users_id_seq', 10, true);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- PostgreSQL database dump complete
--

\unrestrict 3FkvPs8SB2damJMYTNrHfc8un3XVf85K3gKjPQjF3ZJnD0I6MbQEtojXgTwL6f4

