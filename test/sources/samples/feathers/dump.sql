--
-- PostgreSQL database dump
--

\restrict nzC86ykI3lvqso0TaMnht5KaU0G3Jx6vOMQcUQAQ32IXDFKdnqJpxzwJcsJAEEC

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
-- Name: users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.users (
    id integer NOT NULL,
    email character varying(255),
    password character varying(255),
    "googleId" character varying(255),
    "githubId" character varying(255),
    "isVerified" boolean,
    "verifyToken" character varying(255),
    "verifyShortToken" character varying(255),
    "verifyExpires" bigint,
    "verifyChanges" json,
    "resetToken" character varying(255),
    "resetShortToken" character varying(255),
    "resetExpires" bigint,
    "resetAttempts" integer,
    "createdAt" timestamp with time zone DEFAULT '2024-05-06 07:08:09.123+00'::timestamp with time zone
);


ALTER TABLE public.users OWNER TO postgres;

--
-- Name: users_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.users_id_seq OWNER TO postgres;

--
-- Name: users_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (id, email, password, "googleId", "githubId", "isVerified", "verifyToken", "verifyShortToken", "verifyExpires", "verifyChanges", "resetToken", "resetShortToken", "resetExpires", "resetAttempts", "createdAt") FROM stdin;
2	o'hara@example.org	$2b$04$fn9rttDaXzYO7O8At6jkuO0wsvf9gQzofzC/poh79iJxexvM2HeNC	\N	\N	f	1b8925b015dfa36caa8ecee2c95552	140029	1795887246047	{}	\N	\N	\N	\N	2024-05-06 07:08:09.123+00
3	zoe@example.org	$2b$04$BrrPI8qZisHcwiF7Dvu/JuVx0B2BLaqZIsXu4Mub6M1ih4hpVisym	\N	\N	f	35080f9dbd573fd3df06eddcf33a8a	403372	1795887246121	{}	\N	\N	\N	\N	2024-05-06 07:08:09.123+00
1	ada@example.org	$2b$04$FXjRPr5l5KJmLUQycOK.BO8QinAlhmeAU7l90tPzCVxtbekvZX5YO	\N	\N	t	\N	\N	\N	{}	\N	\N	\N	\N	2024-05-06 07:08:09.123+00
4	forgot@example.org	$2b$04$WOLuTUgTRpzOU9nvZNNN0.hpscBrqna9hKRiZXfMo7HG9PO4dUheC	\N	\N	f	d8e42bcdc55579873018bb72dacf7f	323681	1795887246229	{}	\N	\N	\N	\N	2024-05-06 07:08:09.123+00
5	social@example.org	\N	110000000000000000017	\N	f	7b44a0660422446a83c190d346b619	271471	1795887246303	{}	\N	\N	\N	\N	2024-05-06 07:08:09.123+00
6	both@example.org	$2b$04$ls1JEe6KYW/GhSbUeQc3JuvdZxZAJvu2X7q8x/ZSM.zUNJep7Nv72	\N	9001	f	7e10edf859d3e91ebb7f66d8502bc2	220246	1795887246335	{}	\N	\N	\N	\N	2024-05-06 07:08:09.123+00
\.


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.users_id_seq', 6, true);


--
-- Name: users users_email_unique; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_unique UNIQUE (email);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- PostgreSQL database dump complete
--

\unrestrict nzC86ykI3lvqso0TaMnht5KaU0G3Jx6vOMQcUQAQ32IXDFKdnqJpxzwJcsJAEEC

