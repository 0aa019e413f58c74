--
-- PostgreSQL database dump
--

\restrict 2QkYQ3gHDy3cBfZeu5BXfQoEkREyqMHohWIDCfkQS7q6c8r3gaC5ozntLbb7155

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
-- Name: directus_users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.directus_users (
    id uuid NOT NULL,
    first_name character varying(50),
    last_name character varying(50),
    email character varying(128),
    password character varying(255),
    location character varying(255),
    title character varying(50),
    description text,
    tags json,
    avatar uuid,
    language character varying(255) DEFAULT NULL::character varying,
    tfa_secret character varying(255),
    status character varying(16) DEFAULT 'active'::character varying NOT NULL,
    role uuid,
    token character varying(255),
    last_access timestamp with time zone,
    last_page character varying(255),
    provider character varying(128) DEFAULT 'default'::character varying NOT NULL,
    external_identifier character varying(255),
    auth_data json,
    email_notifications boolean DEFAULT true,
    appearance character varying(255),
    theme_dark character varying(255),
    theme_light character varying(255),
    theme_light_overrides json,
    theme_dark_overrides json
);


ALTER TABLE public.directus_users OWNER TO postgres;

--
-- Data for Name: directus_users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.directus_users (id, first_name, last_name, email, password, location, title, description, tags, avatar, language, tfa_secret, status, role, token, last_access, last_page, provider, external_identifier, auth_data, email_notifications, appearance, theme_dark, theme_light, theme_light_overrides, theme_dark_overrides) FROM stdin;
cd3c0ece-c81a-4a54-b737-b214c6e5ada9	Scarlett	O'Hara	o'hara@example.org	$argon2id$v=19$m=1024,t=2,p=1$IOmuPSqrsCcQfR2MFRCgYg$e+R2FDJ4CkDfdSV+tIv+zUwS+8jL/7AptZplKIidZ2Q	\N	\N	\N	\N	\N	\N	\N	active	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
14fb5535-be51-4aa3-9459-599a4ef3abef	\N	\N	draft@example.org	$argon2id$v=19$m=1024,t=2,p=1$j+ZNZmUQc9GW1PtovgsHxQ$6vj5JpqdM0haAe5aq8hQohV+yN5QLw6ypif1xI9tX7w	\N	\N	\N	\N	\N	\N	\N	draft	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
c6ed7993-b8ca-4952-bc01-d8293dba87e9	\N	\N	suspended@example.org	$argon2id$v=19$m=1024,t=2,p=1$+Sbw9Gqo5Vx/UeMNFDi3TQ$3wdJ4YgHiJkim6oRygn3U0HS9V9RX3nzbjVwVmYtenY	\N	\N	\N	\N	\N	\N	\N	suspended	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
3a1b6ddd-8584-44df-85d3-309157cdf2e2	\N	\N	archived@example.org	$argon2id$v=19$m=1024,t=2,p=1$ofKqeN4wT4WyDKiqBINN0A$+MJdygOWRZkE4eXlxGDyZnyErSGZbQWtPY/dlsQWZKQ	\N	\N	\N	\N	\N	\N	\N	archived	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
a84e8e85-95fe-45c5-ad05-b02e3e8ee8ba	\N	\N	unverified@example.org	$argon2id$v=19$m=1024,t=2,p=1$kicLKyPxBP4YzlSkjHWW0w$DJzy6iQM74lmwvxhLnmFMWKVrhEWl5qqJEBkM6qxeDI	\N	\N	\N	\N	\N	\N	\N	unverified	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
9936346d-a87d-4729-b9e6-8f57aa838fcf	\N	\N	invited@example.org	$argon2id$v=19$m=1024,t=2,p=1$PJCyI64bzBOd3vKlAF+yrA$qU3vX9kaC8TtCEAI8/4C5J8JkZkkz3AwlsT+ke6cqu4	\N	\N	\N	\N	\N	\N	\N	invited	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
3710e2f3-7cce-4b64-85c2-a32ede855796	\N	\N	social@example.org	\N	\N	\N	\N	\N	\N	\N	\N	active	\N	\N	\N	\N	google	110000000000000000017	{"refreshToken":"1//refresh-secret"}	t	\N	\N	\N	\N	\N
89c96510-01aa-4bd8-a2eb-759d96864d30	\N	\N	byaddress@example.org	\N	\N	\N	\N	\N	\N	\N	\N	active	\N	\N	\N	\N	google	byaddress@example.org	\N	t	\N	\N	\N	\N	\N
6fb3ddd0-6dc5-42b4-b86d-2e3e219f876e	\N	\N	token@example.org	$argon2id$v=19$m=1024,t=2,p=1$XagZnbrtrq6Iq/BtSl0L3g$OHTgKg1F07UKP0Iw5RfoamlYXq4t4AX0iRBpQOfOnbY	\N	\N	\N	\N	\N	\N	\N	active	\N	static-token-secret	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
59a97ff5-acc1-49bd-b7a5-9d063e053d1a	\N	\N	sso@example.org	\N	\N	\N	\N	\N	\N	\N	\N	active	\N	\N	\N	\N	corp	u-77	\N	t	\N	\N	\N	\N	\N
0e593036-c550-43b0-a667-a2be59d8db08	\N	\N	guest@example.org	\N	\N	\N	\N	\N	\N	\N	\N	invited	ea7e3d82-7ad0-4020-80e3-095ef66a68a2	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
7fa425fd-35bc-4a93-b951-893c55607871	Zoë	\N	Zoe@Example.org	$argon2id$v=19$m=1024,t=2,p=1$6qP2RKAxC7p63EPu65H6Ew$xD3gx1enTvnsIPtVgc6+h8MsVLbtH5jz1A5NHgBUvWw	\N	\N	\N	["a"]	\N	\N	\N	active	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
60337587-f30d-4cca-adbc-2c5e00b7ddc1	\N	\N	two@example.org	$argon2id$v=19$m=1024,t=2,p=1$LmJrFE2v7UmaqnLjHaVZsA$NsC6YowL2N9erHAKPSlCqdx4YkCz9EBEerC71sAgqgQ	\N	\N	\N	\N	\N	\N	\N	active	\N	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
6cfc73e3-062a-4998-96e8-8e0b4d9c63c3	Admin	User	admin@example.org	$argon2id$v=19$m=1024,t=2,p=1$AOM7O8XMhbD7Q417REHi6Q$uEVvNcN+s1dqlwmDCGpCF/YrOro7gNdkwW+cdveV/+I	\N	\N	\N	\N	\N	\N	OEIVMBYWHA5VARJE	active	ea7e3d82-7ad0-4020-80e3-095ef66a68a2	\N	\N	\N	default	\N	\N	t	\N	\N	\N	\N	\N
\.


--
-- Name: directus_users directus_users_email_unique; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.directus_users
    ADD CONSTRAINT directus_users_email_unique UNIQUE (email);


--
-- Name: directus_users directus_users_external_identifier_unique; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.directus_users
    ADD CONSTRAINT directus_users_external_identifier_unique UNIQUE (external_identifier);


--
-- Name: directus_users directus_users_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.directus_users
    ADD CONSTRAINT directus_users_pkey PRIMARY KEY (id);


--
-- Name: directus_users directus_users_token_unique; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.directus_users
    ADD CONSTRAINT directus_users_token_unique UNIQUE (token);


--
-- Name: directus_users directus_users_role_foreign; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.directus_users
    ADD CONSTRAINT directus_users_role_foreign FOREIGN KEY (role) REFERENCES public.directus_roles(id) ON DELETE SET NULL;


--
-- PostgreSQL database dump complete
--

\unrestrict 2QkYQ3gHDy3cBfZeu5BXfQoEkREyqMHohWIDCfkQS7q6c8r3gaC5ozntLbb7155

