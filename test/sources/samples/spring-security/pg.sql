--
-- PostgreSQL database dump
--

\restrict GIcf6OtGnx8FG7ML4pP6bIoAJeb9hZxCkp6v3gtNoPi0faLGihn7J4UwQ6K9DV3

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
-- Name: authorities; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.authorities (
    username character varying(50) NOT NULL,
    authority character varying(50) NOT NULL
);


ALTER TABLE public.authorities OWNER TO postgres;

--
-- Name: users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.users (
    username character varying(50) NOT NULL,
    password character varying(500) NOT NULL,
    enabled boolean NOT NULL
);


ALTER TABLE public.users OWNER TO postgres;

--
-- Data for Name: authorities; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.authorities (username, authority) FROM stdin;
ada@example.org	ROLE_ADMIN
ada@example.org	ROLE_USER
o'brien@example.org	ROLE_USER
zoë@example.org	ROLE_USER
grace@example.org	ROLE_USER
linus@example.org	ROLE_USER
hedy@example.org	ROLE_USER
alan@example.org	ROLE_USER
edsger@example.org	ROLE_USER
barbara@example.org	ROLE_USER
Катя	ROLE_USER
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (username, password, enabled) FROM stdin;
ada@example.org	{bcrypt}$2a$04$U0voeDdxBM7grIyVcyLbvuOkSVrSm5TDN8QvL2uAtCkKoHEKYki3O	t
o'brien@example.org	{bcrypt}$2a$04$TvVtJ/iA9j1w2bu2e1BiFOyOyEsQhLe3Co.Ao0.snUD8dVJrZiSW.	t
zoë@example.org	{pbkdf2@SpringSecurity_v5_8}585c7e7b45a72a8cd5173da1c58e47dc077a0bcb47fae803a63e03ee7f92bc6eb2831fcd8c339b999d925bae8a4bd793	t
grace@example.org	{argon2@SpringSecurity_v5_8}$argon2id$v=19$m=1024,t=2,p=1$/TuXju+bNi4bW52INZMaSA$2me3yhqE3TY7Ky3HjORy3I9JrYKVhs0I/MCwJ2a93mc	t
linus@example.org	{scrypt@SpringSecurity_v5_8}$a0801$pCHM9Di8Aj1Mfsw5zdNhtg==$mr6I0zSx+tg4/mPprb0J0l9rZoXsnQplQkIGq3bVn0o=	t
hedy@example.org	{bcrypt}$2a$04$zYCT1wpJWPv.sLqGDEkH2ePTRHQpN7q/nP5AW7NC.25xbRssKG6ve	f
alan@example.org	{SHA-256}{4l6ISE+1sCHQAI/qOx7cWkSmN/SKmoBBWUdWe6QZdMs=}2df7c94aa5a9049be32ef28a89c95f695bcd5d5968aed043d6d300119b05fb7e	t
edsger@example.org	{sha256}f9df851b57e005727ff1b5fdcf943e1aa57252715a540ad746b70bf45daebeb9c5f2602ddce4403d	t
barbara@example.org	{ldap}{SSHA}Fd+h3WHSgINBQETZnAqO7IMqayFNYEC1TEoizw==	t
Катя	{bcrypt}$2a$04$g6bP.mFlfyCBGLaEQjTU7eCA95rbX22bpd9QQKlqsOPhZ4YqIRPM2	t
\.


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (username);


--
-- Name: ix_auth_username; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX ix_auth_username ON public.authorities USING btree (username, authority);


--
-- Name: authorities fk_authorities_users; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.authorities
    ADD CONSTRAINT fk_authorities_users FOREIGN KEY (username) REFERENCES public.users(username);


--
-- PostgreSQL database dump complete
--

\unrestrict GIcf6OtGnx8FG7ML4pP6bIoAJeb9hZxCkp6v3gtNoPi0faLGihn7J4UwQ6K9DV3

