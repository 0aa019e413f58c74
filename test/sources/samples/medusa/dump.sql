--
-- PostgreSQL database dump
--

\restrict 6bfe2nwI0f8Cj2uQoOlo7ShhpNCc3zHlTK4vxKOwOHwV33u13htgU289VhItfUJ

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
-- Name: auth_identity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_identity (
    id text NOT NULL,
    app_metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: auth_mfa_factor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_mfa_factor (
    id text NOT NULL,
    auth_identity_id text NOT NULL,
    provider text NOT NULL,
    status text NOT NULL,
    provider_metadata jsonb,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: auth_mfa_recovery_code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_mfa_recovery_code (
    id text NOT NULL,
    auth_identity_id text NOT NULL,
    code_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: auth_password_reset_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_password_reset_token (
    id text NOT NULL,
    auth_identity_id text NOT NULL,
    provider_identity_id text NOT NULL,
    entity_id text NOT NULL,
    token_hash text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: auth_verification; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_verification (
    id text NOT NULL,
    auth_identity_id text NOT NULL,
    entity_id text NOT NULL,
    entity_type text NOT NULL,
    code_provider text NOT NULL,
    verified_at timestamp with time zone,
    requested_at timestamp with time zone NOT NULL,
    provider_metadata jsonb,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: customer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.customer (
    id text NOT NULL,
    company_name text,
    first_name text,
    last_name text,
    email text,
    phone text,
    has_account boolean DEFAULT false NOT NULL,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    created_by text
);


--
-- Name: provider_identity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.provider_identity (
    id text NOT NULL,
    entity_id text NOT NULL,
    provider text NOT NULL,
    auth_identity_id text NOT NULL,
    user_metadata jsonb,
    provider_metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public."user" (
    id text NOT NULL,
    first_name text,
    last_name text,
    email text NOT NULL,
    avatar_url text,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Data for Name: auth_identity; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_identity (id, app_metadata, created_at, updated_at, deleted_at) FROM stdin;
authid_01M84QH57RSABNTJXNW1SCGKD7	{"customer_id": "cus_01M84QH5CAAYEEKT79F75P64D0"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH5P8RBF8KAQWTYX84H3P	{"customer_id": "cus_01M84QH5QRDQRJ354XQE8BQ88G"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH5V0A0RHJ4F524H0PVY5	{"customer_id": "cus_01M84QH5WZCJDSA9YNXTE1TMEJ"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH62M54CWPV9MGWEQ2V88	{"customer_id": "cus_01M84QH64HSH921WMY9DWMJ8SH"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH6BPSVTV5K9FQH7Y3YGR	{"customer_id": "cus_01M84QH6D8D8ZCFNQZZKFXSW25"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH6JX6RBVCKXFBGH41N20	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH6N8DC9RR4KH66V8YQCA	{"customer_id": "cus_01M84QH6MCQMQ4FPB93APX94HV"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH6S1QS406K7E1GJBKGVZ	{"customer_id": "cus_01M84QH6TGM68AYC9HHNXZFF4D"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
authid_01M84QH6YX0XXBDPWZQAHEB0D5	{"user_id": "user_01M84QH71ANF3QE3YWCCSHDFCH"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
\.


--
-- Data for Name: auth_mfa_factor; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_mfa_factor (id, auth_identity_id, provider, status, provider_metadata, metadata, created_at, updated_at, deleted_at) FROM stdin;
authmfa_1	authid_01M84QH6S1QS406K7E1GJBKGVZ	totp	enabled	{"secret": "JBSWY3DPEHPK3PXP"}	\N	2024-05-06 00:00:00+00	2024-05-06 00:00:00+00	\N
\.


--
-- Data for Name: auth_mfa_recovery_code; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_mfa_recovery_code (id, auth_identity_id, code_hash, created_at, updated_at, deleted_at) FROM stdin;
\.


--
-- Data for Name: auth_password_reset_token; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_password_reset_token (id, auth_identity_id, provider_identity_id, entity_id, token_hash, expires_at, created_at, updated_at, deleted_at) FROM stdin;
\.


--
-- Data for Name: auth_verification; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_verification (id, auth_identity_id, entity_id, entity_type, code_provider, verified_at, requested_at, provider_metadata, metadata, created_at, updated_at, deleted_at) FROM stdin;
authver_ada@example.org	authid_01M84QH57RSABNTJXNW1SCGKD7	ada@example.org	email	numeric	2024-05-07 00:00:00+00	2024-05-06 00:00:00+00	\N	\N	2024-05-06 00:00:00+00	2024-05-06 00:00:00+00	\N
authver_two@example.org	authid_01M84QH6S1QS406K7E1GJBKGVZ	two@example.org	email	numeric	\N	2024-05-06 00:00:00+00	\N	\N	2024-05-06 00:00:00+00	2024-05-06 00:00:00+00	\N
\.


--
-- Data for Name: customer; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.customer (id, company_name, first_name, last_name, email, phone, has_account, metadata, created_at, updated_at, deleted_at, created_by) FROM stdin;
cus_01M84QH5CAAYEEKT79F75P64D0	\N	Ada	\N	ada@example.org	\N	t	{"plan": "gold"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH5QRDQRJ354XQE8BQ88G	\N	\N	O'Hara	o'hara@example.org	\N	t	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH5WZCJDSA9YNXTE1TMEJ	\N	Zoë	\N	zoe@example.org	+49 30 1	t	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH5ZYN85NETW07316TCQG	\N	\N	\N	guest@example.org	\N	f	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH60PK9ZD2VRJCAKCH4RC	\N	\N	\N	ada@example.org	\N	f	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH64HSH921WMY9DWMJ8SH	\N	\N	\N	gone@example.org	\N	t	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	2026-11-23 17:33:48.13+00	\N
cus_01M84QH6D8D8ZCFNQZZKFXSW25	\N	\N	\N	changed@example.org	\N	t	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH6MCQMQ4FPB93APX94HV	\N	\N	\N	social@example.org	\N	t	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
cus_01M84QH6TGM68AYC9HHNXZFF4D	\N	\N	\N	two@example.org	\N	t	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N
\.


--
-- Data for Name: provider_identity; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.provider_identity (id, entity_id, provider, auth_identity_id, user_metadata, provider_metadata, created_at, updated_at, deleted_at) FROM stdin;
01M84QH57DYG1T67SGW7MF3QNH	ada@example.org	emailpass	authid_01M84QH57RSABNTJXNW1SCGKD7	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAfK5rLWIsKyPBdPY5Z7z6PFp/kNMd4N7SWSemOVIB5SMqQ3JumtMm7Yl4uCW4D+/4YcjoaNHeM6gMTZ7wD3O9IDOJZwAW6WZfbR0h0xtPvXR"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH5NYMW9FYPQETE809GTZ	o'hara@example.org	emailpass	authid_01M84QH5P8RBF8KAQWTYX84H3P	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAQMVtCi5lEIuTXs/xIlaWSlxLdmRX9VKsociO9cr0dYkfjyZfSAOutdjz6d2B2ZHnMemC+XkIu3uGD0dEQ9mWsI6GUmQxXSpnSVlQICpG5Nc"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH5V081MRZQB3JM08M0Y0	zoe@example.org	emailpass	authid_01M84QH5V0A0RHJ4F524H0PVY5	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAfYOuDImT2//cDi+XABbPXyQJp2kfLuce+aSCGFn1ScBNwWA7X9dlhdFhlUQPeR3as23JDeR+RoVC+i6YASLmOt2xYAmqvoL0RWMFt4dxwLR"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH62K7XG0NAASFDHP8DJ5	gone@example.org	emailpass	authid_01M84QH62M54CWPV9MGWEQ2V88	\N	{"password": "c2NyeXB0AAoAAAAIAAAAASDi07N2ikEx4znNDzXIZdrbLDf0fBFT5LIdGiRHJGF+0MUTveKg7iEm9FnouRbjhDmocd16FSuUVxffS6/vh1YkN99qEC6HHEl+4Kwdv7hr"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH6BNZT10T72PAFQ6TGDP	login@example.org	emailpass	authid_01M84QH6BPSVTV5K9FQH7Y3YGR	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAYhuAV2pP8DitKZ15ETpYVXvr+Ii2+JsNNrmF6g5MdKFfrrqKtQHRCPVGyz23eOaRd9BPVcQG14UkwnCQE41eYAqejWwyl+xuGb9/fo0sOGz"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH6JWMTTEK70BM0R9YE4E	half@example.org	emailpass	authid_01M84QH6JX6RBVCKXFBGH41N20	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAfr2GBf/Ot9sNvyNvlpACHxpoOWUh3qO6vwrdIOncHES/1f+3XTPZiWCU+TFRL2AOLH8WSKCB66/QrctNwewZHAK09FI7nMTIkEnJNcLfbiD"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH6N78TN9ABM24TG5QR8G	110000000000000000017	google	authid_01M84QH6N8DC9RR4KH66V8YQCA	{"name": "So Cial", "email": "social@example.org"}	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH6RVZE4KGXKPD8HY6QHG	two@example.org	emailpass	authid_01M84QH6S1QS406K7E1GJBKGVZ	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAaSbCdbpTFFowVVQyfsahJxARDGqY0UXRgUjJp3Y1+RB6u++RaAyES8plzTog+Eln6SqHmJk+Bj9BndBLb9sDx65kdKsCCaQ13p11eWYGkni"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
01M84QH6YWX2H0RD1BWJ5YFZDZ	staff@example.org	emailpass	authid_01M84QH6YX0XXBDPWZQAHEB0D5	\N	{"password": "c2NyeXB0AAoAAAAIAAAAAVwwLHSaL8JLF8q3qT1aaqjUM3fNDFU77hFKOJ2lDILEHBXnLminQ2Kz9aVh2rf0j0wtLJCfKnYDZ9CGgI0TDa3s/D8ZynFl5e2Q7N6y/WXL"}	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
\.


--
-- Data for Name: user; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."user" (id, first_name, last_name, email, avatar_url, metadata, created_at, updated_at, deleted_at) FROM stdin;
user_01M84QH71ANF3QE3YWCCSHDFCH	Sta	Ff	staff@example.org	\N	\N	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N
\.


--
-- Name: auth_identity auth_identity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_identity
    ADD CONSTRAINT auth_identity_pkey PRIMARY KEY (id);


--
-- Name: auth_mfa_factor auth_mfa_factor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_mfa_factor
    ADD CONSTRAINT auth_mfa_factor_pkey PRIMARY KEY (id);


--
-- Name: auth_mfa_recovery_code auth_mfa_recovery_code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_mfa_recovery_code
    ADD CONSTRAINT auth_mfa_recovery_code_pkey PRIMARY KEY (id);


--
-- Name: auth_password_reset_token auth_password_reset_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_password_reset_token
    ADD CONSTRAINT auth_password_reset_token_pkey PRIMARY KEY (id);


--
-- Name: auth_verification auth_verification_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_verification
    ADD CONSTRAINT auth_verification_pkey PRIMARY KEY (id);


--
-- Name: customer customer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (id);


--
-- Name: provider_identity provider_identity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.provider_identity
    ADD CONSTRAINT provider_identity_pkey PRIMARY KEY (id);


--
-- Name: user user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_pkey PRIMARY KEY (id);


--
-- Name: IDX_auth_identity_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_identity_deleted_at" ON public.auth_identity USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_mfa_factor_auth_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_mfa_factor_auth_identity_id" ON public.auth_mfa_factor USING btree (auth_identity_id) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_mfa_factor_auth_identity_provider_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "IDX_auth_mfa_factor_auth_identity_provider_active" ON public.auth_mfa_factor USING btree (auth_identity_id, provider) WHERE ((deleted_at IS NULL) AND (status = ANY (ARRAY['pending'::text, 'enabled'::text])));


--
-- Name: IDX_auth_mfa_factor_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_mfa_factor_deleted_at" ON public.auth_mfa_factor USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_mfa_recovery_code_auth_identity_code_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "IDX_auth_mfa_recovery_code_auth_identity_code_hash" ON public.auth_mfa_recovery_code USING btree (auth_identity_id, code_hash) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_mfa_recovery_code_auth_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_mfa_recovery_code_auth_identity_id" ON public.auth_mfa_recovery_code USING btree (auth_identity_id) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_mfa_recovery_code_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_mfa_recovery_code_deleted_at" ON public.auth_mfa_recovery_code USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_password_reset_token_auth_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_password_reset_token_auth_identity_id" ON public.auth_password_reset_token USING btree (auth_identity_id) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_password_reset_token_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_password_reset_token_deleted_at" ON public.auth_password_reset_token USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_password_reset_token_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_password_reset_token_expires_at" ON public.auth_password_reset_token USING btree (expires_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_password_reset_token_provider_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_password_reset_token_provider_identity_id" ON public.auth_password_reset_token USING btree (provider_identity_id) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_password_reset_token_token_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_password_reset_token_token_hash" ON public.auth_password_reset_token USING btree (token_hash) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_verification_auth_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_verification_auth_identity_id" ON public.auth_verification USING btree (auth_identity_id) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_verification_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_auth_verification_deleted_at" ON public.auth_verification USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_auth_verification_unique_auth_identity_entity_id_entity_typ; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "IDX_auth_verification_unique_auth_identity_entity_id_entity_typ" ON public.auth_verification USING btree (auth_identity_id, entity_id, entity_type) WHERE (deleted_at IS NULL);


--
-- Name: IDX_customer_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_customer_deleted_at" ON public.customer USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_customer_email_has_account_unique; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "IDX_customer_email_has_account_unique" ON public.customer USING btree (email, has_account) WHERE (deleted_at IS NULL);


--
-- Name: IDX_provider_identity_auth_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_provider_identity_auth_identity_id" ON public.provider_identity USING btree (auth_identity_id);


--
-- Name: IDX_provider_identity_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_provider_identity_deleted_at" ON public.provider_identity USING btree (deleted_at) WHERE (deleted_at IS NULL);


--
-- Name: IDX_provider_identity_provider_entity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "IDX_provider_identity_provider_entity_id" ON public.provider_identity USING btree (entity_id, provider);


--
-- Name: IDX_user_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX "IDX_user_deleted_at" ON public."user" USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: IDX_user_email_unique; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX "IDX_user_email_unique" ON public."user" USING btree (email) WHERE (deleted_at IS NULL);


--
-- Name: auth_mfa_factor auth_mfa_factor_auth_identity_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_mfa_factor
    ADD CONSTRAINT auth_mfa_factor_auth_identity_id_foreign FOREIGN KEY (auth_identity_id) REFERENCES public.auth_identity(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: auth_mfa_recovery_code auth_mfa_recovery_code_auth_identity_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_mfa_recovery_code
    ADD CONSTRAINT auth_mfa_recovery_code_auth_identity_id_foreign FOREIGN KEY (auth_identity_id) REFERENCES public.auth_identity(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: auth_password_reset_token auth_password_reset_token_auth_identity_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_password_reset_token
    ADD CONSTRAINT auth_password_reset_token_auth_identity_id_foreign FOREIGN KEY (auth_identity_id) REFERENCES public.auth_identity(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: auth_password_reset_token auth_password_reset_token_provider_identity_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_password_reset_token
    ADD CONSTRAINT auth_password_reset_token_provider_identity_id_foreign FOREIGN KEY (provider_identity_id) REFERENCES public.provider_identity(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: auth_verification auth_verification_auth_identity_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_verification
    ADD CONSTRAINT auth_verification_auth_identity_id_foreign FOREIGN KEY (auth_identity_id) REFERENCES public.auth_identity(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: provider_identity provider_identity_auth_identity_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.provider_identity
    ADD CONSTRAINT provider_identity_auth_identity_id_foreign FOREIGN KEY (auth_identity_id) REFERENCES public.auth_identity(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict 6bfe2nwI0f8Cj2uQoOlo7ShhpNCc3zHlTK4vxKOwOHwV33u13htgU289VhItfUJ

