--
-- PostgreSQL database dump
--

\restrict D8ofLjw4Uu0xijdt8Q4Ul35AlLnXx3FeGecGcqYR3lZblbQAwhQYrpW1Mi5BGgG

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
-- Name: _User; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."_User" (
    "objectId" text NOT NULL,
    "createdAt" timestamp with time zone,
    "updatedAt" timestamp with time zone,
    username text,
    email text,
    "emailVerified" boolean,
    "authData" jsonb,
    _rperm text[],
    _wperm text[],
    _hashed_password text,
    _email_verify_token_expires_at timestamp with time zone,
    _email_verify_token text,
    _account_lockout_expires_at timestamp with time zone,
    _failed_login_count double precision,
    _perishable_token text,
    _perishable_token_expires_at timestamp with time zone,
    _password_changed_at timestamp with time zone,
    _password_history jsonb,
    plan text,
    prefs jsonb
);


ALTER TABLE public."_User" OWNER TO postgres;

--
-- Data for Name: _User; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."_User" ("objectId", "createdAt", "updatedAt", username, email, "emailVerified", "authData", _rperm, _wperm, _hashed_password, _email_verify_token_expires_at, _email_verify_token, _account_lockout_expires_at, _failed_login_count, _perishable_token, _perishable_token_expires_at, _password_changed_at, _password_history, plan, prefs) FROM stdin;
iWd7e1Idcr	2024-11-25 07:50:44.251+00	2024-11-25 07:50:44.251+00	Zoë	zoe@example.org	f	\N	{iWd7e1Idcr}	{iWd7e1Idcr}	$2y$10$bTXExoQ.3FJf.HZpHdpaVu7U5iCLGlut2iB03ihGX4BRosUoZN0Xa	\N	XV3RcG3qHEcNUYH5FApJWZjHC	\N	\N	\N	\N	\N	\N	\N	\N
zEeSLHNt3Y	2024-11-25 07:50:44.371+00	2024-11-25 07:50:44.371+00	o'brien	OBrien@Example.org	f	\N	{zEeSLHNt3Y}	{zEeSLHNt3Y}	$2y$10$d951XQQXB6OpWNLkTocd7u.mZdvFcdWWfL6CR3KXbdOKEqvlCcGIS	\N	tpVFg9z9Dihs9KoDc4qZLuwoO	\N	\N	\N	\N	\N	\N	\N	\N
6sKsgDyXBV	2024-11-25 07:50:44.489+00	2024-11-25 07:50:44.489+00	grace@example.org	\N	\N	\N	{6sKsgDyXBV}	{6sKsgDyXBV}	$2y$10$wacqaKhnD1obFecj4j.OZOwC7NbtQ6tkwTTEiFFDz4UbhoiaOf5fi	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
DPHalWS2JM	2024-11-25 07:50:44.612+00	2024-11-25 07:50:44.612+00	noemail	\N	\N	\N	{DPHalWS2JM}	{DPHalWS2JM}	$2y$10$8/P1Mc5Z1J7nWQ0ObrCTeOFqH0cjRd5y5qV6PxDck5E8Mq..u/OBK	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
morDTTAUPB	2024-11-25 07:50:45.074+00	2024-11-25 07:50:45.074+00	soc	soc@example.org	\N	{"mysocial": {"id": "soc-77"}}	{morDTTAUPB}	{morDTTAUPB}	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
1dPH3RuUBN	2024-11-25 07:50:45.122+00	2024-11-25 07:50:45.122+00	QaZYr5qWSO44m7p2SStHBZusr	\N	\N	{"anonymous": {"id": "7b3f1f6e-0000-4000-8000-000000000001"}}	{1dPH3RuUBN}	{1dPH3RuUBN}	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
HKG59xCdvC	2024-11-25 07:50:44.831+00	2024-11-25 07:50:44.831+00	reset	reset@example.org	f	\N	{HKG59xCdvC}	{HKG59xCdvC}	$2y$10$YcdxvCLUcb23kCs71ibyM.ox5KWOh5F1dxkc7wcbaABxDnCiXTVWC	\N	n2W8mJC5x3JebSbKPhyCIShNI	\N	\N	dHBJGUeZGzaC0K1gkCPCwoH6Y	\N	\N	\N	\N	\N
xmCPQRSB76	2024-11-25 07:50:44.006+00	2024-11-25 07:51:24.832+00	ada	ada@example.org	t	\N	{xmCPQRSB76}	{xmCPQRSB76}	$2y$10$kDtR4hFCzhLoxmcxim8LQ.Xndz9BJHm8QQx5atgf0C6gcJnVZhb6a	\N	ndK3kH9nSSOegNXRHq0COEF0O	\N	\N	\N	\N	\N	\N	gold	{"note": "a\\\\b \\"q\\" ü", "theme": "dark"}
AnsQLb9Dkz	2024-11-25 07:50:45.3+00	2024-11-25 07:50:45.3+00	mfa	mfa@example.org	f	{"mfa": {"secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "recovery": ["x1", "x2"]}}	{AnsQLb9Dkz}	{AnsQLb9Dkz}	$2y$10$LU.zu0wsXYcvLECVo1pixu6qT3B9J8XbzYxjcxpnMjHCx8zUeHa4G	\N	Dn2SHVpL0HuiojHCvFg9GqByR	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Name: _User _User_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."_User"
    ADD CONSTRAINT "_User_pkey" PRIMARY KEY ("objectId");


--
-- Name: _User_unique_authData_anonymous_id; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX "_User_unique_authData_anonymous_id" ON public."_User" USING btree (((("authData" -> 'anonymous'::text) ->> 'id'::text))) WHERE ((("authData" -> 'anonymous'::text) ->> 'id'::text) IS NOT NULL);


--
-- Name: _User_unique_authData_google_id; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX "_User_unique_authData_google_id" ON public."_User" USING btree (((("authData" -> 'google'::text) ->> 'id'::text))) WHERE ((("authData" -> 'google'::text) ->> 'id'::text) IS NOT NULL);


--
-- Name: _User_unique_authData_mfa_id; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX "_User_unique_authData_mfa_id" ON public."_User" USING btree (((("authData" -> 'mfa'::text) ->> 'id'::text))) WHERE ((("authData" -> 'mfa'::text) ->> 'id'::text) IS NOT NULL);


--
-- Name: _User_unique_authData_mysocial_id; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX "_User_unique_authData_mysocial_id" ON public."_User" USING btree (((("authData" -> 'mysocial'::text) ->> 'id'::text))) WHERE ((("authData" -> 'mysocial'::text) ->> 'id'::text) IS NOT NULL);


--
-- Name: _User_unique_email; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX "_User_unique_email" ON public."_User" USING btree (email);


--
-- Name: _User_unique_username; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX "_User_unique_username" ON public."_User" USING btree (username);


--
-- Name: _email_verify_token; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX _email_verify_token ON public."_User" USING btree (_email_verify_token);


--
-- Name: _perishable_token; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX _perishable_token ON public."_User" USING btree (_perishable_token);


--
-- Name: case_insensitive_email; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX case_insensitive_email ON public."_User" USING btree (lower(email) varchar_pattern_ops);


--
-- Name: case_insensitive_username; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX case_insensitive_username ON public."_User" USING btree (lower(username) varchar_pattern_ops);


--
-- PostgreSQL database dump complete
--

\unrestrict D8ofLjw4Uu0xijdt8Q4Ul35AlLnXx3FeGecGcqYR3lZblbQAwhQYrpW1Mi5BGgG

