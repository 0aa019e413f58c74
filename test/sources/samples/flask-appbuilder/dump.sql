--
-- PostgreSQL database dump
--

\restrict aHAgXJXelSaWDZ3jfpqJT26sXV2QVsGCgikDtkOJMPHiI8MrPJR8sTkORgbtpWa

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
-- Name: ab_user; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.ab_user (
    id integer NOT NULL,
    first_name character varying(64) NOT NULL,
    last_name character varying(64) NOT NULL,
    username character varying(128) NOT NULL,
    password character varying(256),
    active boolean,
    email character varying(320) NOT NULL,
    last_login timestamp without time zone,
    login_count integer,
    fail_login_count integer,
    created_on timestamp without time zone,
    changed_on timestamp without time zone,
    created_by_fk integer,
    changed_by_fk integer
);


ALTER TABLE public.ab_user OWNER TO postgres;

--
-- Data for Name: ab_user; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.ab_user (id, first_name, last_name, username, password, active, email, last_login, login_count, fail_login_count, created_on, changed_on, created_by_fk, changed_by_fk) FROM stdin;
4	Off	Duty	off	scrypt:1024:8:1$3GV76NkKBQNKE8MS$0d78e94a62a76a92514b3376b8b283413966386bab36b872b408ae1d639e0ed7ff26d10f49866536d5893c595cd951c75074dee391720d9258cb2d29a4c92637	f	off@example.org	\N	\N	\N	2024-05-10 07:08:09.123456	\N	\N	\N
5	So	Cial	google_110000000000000000017	scrypt:1024:8:1$FbHzUprUYLaevrtM$29b18df6724f2ac5396434dada586dbdb653ce3857261418eaecfbbbfc2a3e98a8a1f38c357fce18ab0a9cdd564887ec9900b0cb004cb1450d660a960541817e	t	social@example.org	\N	\N	\N	2024-05-11 07:08:09.123456	\N	\N	\N
6	Lda	Pper	ldapper	scrypt:1024:8:1$NcJPLzDY0ht5tEGF$0f299cda0dd14ccd9e08277c4fdb92e013f499c61dfd0e67873455f0bf5c78202ed924da4bfb53c42e9b3aad0e833b4361a499ba19901f8feebc4d72348f7413	t	ldapper@email.notfound	\N	\N	\N	2024-05-12 07:08:09.123456	\N	\N	\N
1	Ada	Lovelace	ada	pbkdf2:sha256:1000$Ac1mSoYc9zOwep24$5f291da9dcb732435b7a055cadd0ead25a2c46337c37ffc0e559a854ce6606a6	t	ada@example.org	\N	1	0	2024-05-07 07:08:09.123456	\N	\N	\N
2	Scarlett	O'Hara	o'hara	scrypt:1024:8:1$mOjfRPSEqq9QlFmA$414b45946dbdd9d652b45fa4308d0ff5956a526bd5027284c60229c24beb276c4e29529d15e130ef2624c5054028c47e453c09987d5e02aa9f36cafc239dfa9b	t	o'hara@example.org	\N	\N	\N	2024-05-08 07:08:09.123456	\N	\N	\N
3	Zoë	Müller	zoe	scrypt:1024:8:1$FXqQlCyPO6lbihwG$ddbbef22714d7d0240306111c2cc204d7423e49bfc2f2c0c74dbdf747fdcc98682b9b3f1a941a9c68eca8cb1d71517fa8818bed28182679789d533d0ffed0b2e	t	zoe@example.org	\N	0	1	2024-05-09 07:08:09.123456	\N	\N	\N
\.


--
-- Name: ab_user ab_user_email_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ab_user
    ADD CONSTRAINT ab_user_email_key UNIQUE (email);


--
-- Name: ab_user ab_user_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ab_user
    ADD CONSTRAINT ab_user_pkey PRIMARY KEY (id);


--
-- Name: ab_user ab_user_username_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ab_user
    ADD CONSTRAINT ab_user_username_key UNIQUE (username);


--
-- Name: ab_user ab_user_changed_by_fk_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ab_user
    ADD CONSTRAINT ab_user_changed_by_fk_fkey FOREIGN KEY (changed_by_fk) REFERENCES public.ab_user(id);


--
-- Name: ab_user ab_user_created_by_fk_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.ab_user
    ADD CONSTRAINT ab_user_created_by_fk_fkey FOREIGN KEY (created_by_fk) REFERENCES public.ab_user(id);


--
-- PostgreSQL database dump complete
--

\unrestrict aHAgXJXelSaWDZ3jfpqJT26sXV2QVsGCgikDtkOJMPHiI8MrPJR8sTkORgbtpWa

