--
-- PostgreSQL database dump
--

\restrict XOgo8ijLqhxe5b6KFCbHXeeOlyMSYmgAJqQGbsYrt2ItgNUeuS8NVINzn6kmVYu

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
    provider_id text NOT NULL,
    provider_user_id text NOT NULL,
    user_id text NOT NULL
);


ALTER TABLE public.oauth_account OWNER TO postgres;

--
-- Name: session; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.session (
    id text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    user_id text NOT NULL
);


ALTER TABLE public.session OWNER TO postgres;

--
-- Name: user; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."user" (
    id text NOT NULL,
    username text,
    email text,
    email_verified boolean DEFAULT false NOT NULL,
    password_hash text,
    two_factor_secret bytea,
    created_at timestamp with time zone DEFAULT '2024-05-06 07:08:09.123+00'::timestamp with time zone NOT NULL
);


ALTER TABLE public."user" OWNER TO postgres;

--
-- Data for Name: oauth_account; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.oauth_account (provider_id, provider_user_id, user_id) FROM stdin;
github	9001	uriit3d6i2j7hcpl
google	110000000000000000017	c7rx72rrpsnklbh5
\.


--
-- Data for Name: session; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.session (id, expires_at, user_id) FROM stdin;
o4qspedwwk35x54gbq5ralec5skngo6dehetmrr7	2026-12-23 17:21:06.441+00	iabut3p5pivndri6
ancu2jsmucj5eqswg45iqsjjjrb2mxzfxsknk4xm	2026-12-23 17:21:06.524+00	kspjdwn2mp4avgk3
v6qj5hxvdzmlxeqptvwgtudel5zdg7sn7hybiawh	2026-12-23 17:21:08.597+00	xopmk2usqfdqc6vq
5avs5n5uptemeub53adrtjr5gbwmolsngclm4h7j	2026-12-23 17:21:08.64+00	uriit3d6i2j7hcpl
ezhthyagxrerhxlu6rlkw7fifegjzpcwhbxlgajj	2026-12-23 17:21:08.697+00	c7rx72rrpsnklbh5
emufqlwr6qmf65ndsxa2d2j4ovlxd6nmazsemucx	2026-12-23 17:21:08.789+00	3zofur7jnlcubpms
4tlledzo2yuhgvxsc4rshys7nawapi3cdxm4zy6w	2026-12-23 17:21:08.848+00	xqlizmblr5kuqqun
\.


--
-- Data for Name: user; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."user" (id, username, email, email_verified, password_hash, two_factor_secret, created_at) FROM stdin;
iabut3p5pivndri6	ada	ada@example.org	t	$argon2id$v=19$m=256,t=1,p=1$oKL0GTIV1TQ+PH+ibw5ZYA$I2u3P+A5wsPJad3QO+rY5Apq9xsU7V0fZSzS2F0cADQ	\N	2024-05-06 07:08:09.123+00
kspjdwn2mp4avgk3	o'hara	o'hara@example.org	f	$argon2id$v=19$m=256,t=1,p=1$qV604LgPAz3PqDzmwODnTw$bxfLjY/1K9NnJ2XeY+YfqhrJc/20eJWdRhq1KCBpsHE	\N	2024-05-06 07:08:09.123+00
xopmk2usqfdqc6vq	zoe	zoe@example.org	f	f7af9bbe26a74096cc3fd83d5ce22119:9f71a8f5b08ad779cb6d52b62731ad9befff6fe5323fbdb420bb70b972e31a7682109307c05cc3d169ebd04bcdd2e218984ac16cdbf102a1b4f20c575b9b966a	\N	2024-05-06 07:08:09.123+00
uriit3d6i2j7hcpl	both	both@example.org	t	$argon2id$v=19$m=256,t=1,p=1$Dwe7UAy0l1S/dvPBmrQHKw$e/tL6iLVHpC86XxhuP6Gvzs9aY1KvW3CD3aa1C8I864	\N	2024-05-06 07:08:09.123+00
c7rx72rrpsnklbh5	\N	social@example.org	t	\N	\N	2024-05-06 07:08:09.123+00
3zofur7jnlcubpms	two	two@example.org	t	$argon2id$v=19$m=256,t=1,p=1$c/L/In632vx/zyDfawmHXQ$oeFKueIX++j5UnmUsuJjO9h0GQk1X3QV2oxLyzv4cbQ	\\x3132333435363738393031323334353637383930	2024-05-06 07:08:09.123+00
xqlizmblr5kuqqun	noemail	\N	f	$argon2id$v=19$m=256,t=1,p=1$wVDEcHbyMZtZbpzVZq7qpw$4PxWRBYvFoZ3z+1fdA2FiiyD8Rwh+UxUJ7SbEZyPjT8	\N	2024-05-06 07:08:09.123+00
\.


--
-- Name: oauth_account oauth_account_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.oauth_account
    ADD CONSTRAINT oauth_account_pkey PRIMARY KEY (provider_id, provider_user_id);


--
-- Name: session session_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);


--
-- Name: user user_email_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_email_key UNIQUE (email);


--
-- Name: user user_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_pkey PRIMARY KEY (id);


--
-- Name: user user_username_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_username_key UNIQUE (username);


--
-- Name: oauth_account oauth_account_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.oauth_account
    ADD CONSTRAINT oauth_account_user_id_fkey FOREIGN KEY (user_id) REFERENCES public."user"(id);


--
-- Name: session session_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES public."user"(id);


--
-- PostgreSQL database dump complete
--

\unrestrict XOgo8ijLqhxe5b6KFCbHXeeOlyMSYmgAJqQGbsYrt2ItgNUeuS8NVINzn6kmVYu

