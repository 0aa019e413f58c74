--
-- PostgreSQL database dump
--

\restrict dQvxGm03YK8aNKB7MOcGksROyr1bnM3L7xBnK2ii2FAJROm9hRUOv0eBJpEZlsx

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

--
-- Name: eventstore; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA eventstore;


--
-- Name: projections; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA projections;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: events2; Type: TABLE; Schema: eventstore; Owner: -
--

CREATE TABLE eventstore.events2 (
    instance_id text NOT NULL,
    aggregate_type text NOT NULL,
    aggregate_id text NOT NULL,
    event_type text NOT NULL,
    sequence bigint NOT NULL,
    revision smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    payload jsonb,
    creator text NOT NULL,
    owner text NOT NULL,
    "position" numeric NOT NULL,
    in_tx_order integer NOT NULL
);


--
-- Name: idp_templates6; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.idp_templates6 (
    id text NOT NULL,
    creation_date timestamp with time zone NOT NULL,
    change_date timestamp with time zone NOT NULL,
    sequence bigint NOT NULL,
    resource_owner text NOT NULL,
    instance_id text NOT NULL,
    state smallint NOT NULL,
    name text,
    owner_type smallint NOT NULL,
    type smallint NOT NULL,
    owner_removed boolean DEFAULT false,
    is_creation_allowed boolean DEFAULT false,
    is_linking_allowed boolean DEFAULT false,
    is_auto_creation boolean DEFAULT false,
    is_auto_update boolean DEFAULT false,
    auto_linking smallint DEFAULT 0
);


--
-- Name: idp_user_links3; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.idp_user_links3 (
    idp_id text NOT NULL,
    user_id text NOT NULL,
    external_user_id text NOT NULL,
    creation_date timestamp with time zone NOT NULL,
    change_date timestamp with time zone NOT NULL,
    sequence bigint NOT NULL,
    resource_owner text NOT NULL,
    instance_id text NOT NULL,
    display_name text NOT NULL
);


--
-- Name: orgs1; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.orgs1 (
    id text NOT NULL,
    creation_date timestamp with time zone NOT NULL,
    change_date timestamp with time zone NOT NULL,
    resource_owner text NOT NULL,
    instance_id text NOT NULL,
    org_state smallint NOT NULL,
    sequence bigint NOT NULL,
    name text NOT NULL,
    primary_domain text DEFAULT ''::text NOT NULL
);


--
-- Name: user_auth_methods5; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.user_auth_methods5 (
    user_id text NOT NULL,
    method_type smallint NOT NULL,
    token_id text NOT NULL,
    creation_date timestamp with time zone NOT NULL,
    change_date timestamp with time zone NOT NULL,
    state smallint NOT NULL,
    sequence bigint NOT NULL,
    resource_owner text NOT NULL,
    instance_id text NOT NULL,
    name text NOT NULL,
    domain text
);


--
-- Name: users14; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.users14 (
    id text NOT NULL,
    creation_date timestamp with time zone NOT NULL,
    change_date timestamp with time zone NOT NULL,
    sequence bigint NOT NULL,
    state smallint NOT NULL,
    resource_owner text NOT NULL,
    instance_id text NOT NULL,
    username text NOT NULL,
    type smallint NOT NULL
);


--
-- Name: users14_humans; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.users14_humans (
    user_id text NOT NULL,
    instance_id text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    nick_name text,
    display_name text,
    preferred_language text,
    gender smallint,
    avatar_key text,
    email text NOT NULL,
    is_email_verified boolean DEFAULT false NOT NULL,
    phone text,
    is_phone_verified boolean,
    password_change_required boolean NOT NULL,
    password_changed timestamp with time zone,
    mfa_init_skipped timestamp with time zone
);


--
-- Name: users14_machines; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.users14_machines (
    user_id text NOT NULL,
    instance_id text NOT NULL,
    name text NOT NULL,
    description text,
    secret text,
    access_token_type smallint DEFAULT 0
);


--
-- Name: users14_notifications; Type: TABLE; Schema: projections; Owner: -
--

CREATE TABLE projections.users14_notifications (
    user_id text NOT NULL,
    instance_id text NOT NULL,
    last_email text,
    verified_email text,
    verified_email_lower text,
    last_phone text,
    verified_phone text,
    password_set boolean DEFAULT false
);


--
-- Data for Name: events2; Type: TABLE DATA; Schema: eventstore; Owner: -
--

COPY eventstore.events2 (instance_id, aggregate_type, aggregate_id, event_type, sequence, revision, created_at, payload, creator, owner, "position", in_tx_order) FROM stdin;
i1	user	org	org.added	1	1	2023-05-06 07:08:09+00	{"name": "ACME"}	x	o1	1683356890	0
i1	user	u1	user.human.added	2	1	2023-05-06 07:08:09+00	{"email": "ada@example.com", "userName": "ada", "firstName": "Ada", "encodedHash": "$2a$04$e5MrkgcPQdt0Xg43P7ROBO0bePGZoBZB8F32f5j0iphDGuPDSed/e"}	x	o1	1683356891	0
i1	user	u1	user.human.password.changed	3	1	2023-05-06 07:08:09+00	{"encodedHash": "$2a$04$gX94ei5M.hcmaHGMzyCJE.e3KBEYlnKBlChw4hhGIe5dgVIamPaZa", "changeRequired": false}	x	o1	1683356892	0
i1	user	u1	user.human.password.check.succeeded	4	1	2023-05-06 07:08:09+00	{"userAgentID": "x"}	x	o1	1683356893	0
i1	user	u2	user.human.added	5	1	2023-05-06 07:08:09+00	{"email": "zoe@example.com", "userName": "zoe", "firstName": "Zoe", "encodedHash": "$argon2id$v=19$m=256,t=1,p=1$9wp7/nwT0YOSD+z8gd+KVw$p6b6N1soRtV8Ch9517no1xA1Hfcj/kybnXHjknWUGjU"}	x	o1	1683356894	0
i1	user	u3	user.human.added	6	1	2023-05-06 07:08:09+00	{"email": "old@example.com", "secret": {"KeyID": "", "Crypted": "JDJhJDA0JGJJZUxxN0dCYkwuaUguOGxqMnc4bE8wOFhVRXJ5N1F6Z3NVOVlUTkxvcWhCRTBMb2Y1bGhT", "Algorithm": "bcrypt", "CryptoType": 1}, "userName": "old", "firstName": "Old"}	x	o1	1683356895	0
i1	user	u4	user.human.added	7	1	2023-05-06 07:08:09+00	{"email": "inactive@example.com", "userName": "inactive", "firstName": "Inactive", "encodedHash": "$2a$04$OvTpWtLfE/yjPGOzwU14IuTi67txj0gCDZFtuDNAtixOiJEqu7fpK"}	x	o1	1683356896	0
i1	user	u5	user.human.added	8	1	2023-05-06 07:08:09+00	{"email": "locked@example.com", "userName": "locked", "firstName": "Locked", "encodedHash": "$2a$04$iHqjPiv1EyhNCKqzz69lt.J5lVsr1fU1ODRDiuWn//3V1.QtoLnB."}	x	o1	1683356897	0
i1	user	u6	user.human.added	9	1	2023-05-06 07:08:09+00	{"email": "initial@example.com", "userName": "initial", "firstName": "Initial"}	x	o1	1683356898	0
i1	user	u7	user.machine.secret.set	10	1	2023-05-06 07:08:09+00	{"hashedSecret": "$2a$04$te2pmPDD83HdDhaTxRY3w.ZYUI/WGAYtqccQtSGZQPDshkvC0sVee"}	x	o1	1683356899	0
i1	user	u8	user.human.added	11	1	2023-05-06 07:08:09+00	{"email": "closed@example.com", "userName": "closed", "firstName": "Closed", "encodedHash": "$2a$04$iHFU3cG2A.dN9MFITTqGbetc45hl0d6OVGSsux2ladmbsj1lz0sS2"}	x	o1	1683356900	0
i1	user	u9	user.human.added	12	1	2023-05-06 07:08:09+00	{"email": "totp@example.com", "userName": "totp", "firstName": "Totp", "encodedHash": "$2a$04$hJQw.aQln88IPi1EXiSFZ.ijo7VU1H0vGOJbdnpgohH4T6KMNX.ne"}	x	o1	1683356901	0
i1	user	u9	user.human.mfa.otp.added	13	1	2023-05-06 07:08:09+00	{"otpSecret": {"KeyID": "k", "Crypted": "AAAA", "Algorithm": "aes", "CryptoType": 0}}	x	o1	1683356902	0
i1	user	u10	user.human.added	14	1	2023-05-06 07:08:09+00	{"email": "google@example.com", "userName": "google", "firstName": "Google"}	x	o1	1683356903	0
i1	user	u11	user.human.added	15	1	2023-05-06 07:08:09+00	{"email": "setup@example.com", "userName": "setup", "firstName": "Setup", "encodedHash": "$2a$04$cIcjriauYhYWnz/JOJDOu.Sx5y8VD7gWljIbUR4WMVwwcYuTJm3mW"}	x	o1	1683356904	0
\.


--
-- Data for Name: idp_templates6; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.idp_templates6 (id, creation_date, change_date, sequence, resource_owner, instance_id, state, name, owner_type, type, owner_removed, is_creation_allowed, is_linking_allowed, is_auto_creation, is_auto_update, auto_linking) FROM stdin;
idp1	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	o1	i1	1	Google	1	10	f	f	f	f	f	0
\.


--
-- Data for Name: idp_user_links3; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.idp_user_links3 (idp_id, user_id, external_user_id, creation_date, change_date, sequence, resource_owner, instance_id, display_name) FROM stdin;
idp1	u10	1234567890	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	o1	i1	google@example.com
\.


--
-- Data for Name: orgs1; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.orgs1 (id, creation_date, change_date, resource_owner, instance_id, org_state, sequence, name, primary_domain) FROM stdin;
o1	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	o1	i1	1	1	ACME	acme.example.com
o2	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	o2	i1	2	1	Closed	closed.example.com
\.


--
-- Data for Name: user_auth_methods5; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.user_auth_methods5 (user_id, method_type, token_id, creation_date, change_date, state, sequence, resource_owner, instance_id, name, domain) FROM stdin;
u9	1		2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	2	1	o1	i1		\N
u11	1		2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1		\N
\.


--
-- Data for Name: users14; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.users14 (id, creation_date, change_date, sequence, state, resource_owner, instance_id, username, type) FROM stdin;
u1	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	ada	1
u2	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	zoe	1
u3	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	old	1
u4	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	2	o1	i1	inactive	1
u5	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	4	o1	i1	locked	1
u6	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	6	o1	i1	initial	1
u7	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	robot	2
u8	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o2	i1	closed	1
u9	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	totp	1
u10	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	google	1
u11	2023-05-06 07:08:09+00	2023-05-06 07:08:09+00	1	1	o1	i1	setup	1
\.


--
-- Data for Name: users14_humans; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.users14_humans (user_id, instance_id, first_name, last_name, nick_name, display_name, preferred_language, gender, avatar_key, email, is_email_verified, phone, is_phone_verified, password_change_required, password_changed, mfa_init_skipped) FROM stdin;
u1	i1	Ada	Example	\N	Ada Example	en	0	\N	ada@example.com	t	\N	\N	f	\N	\N
u2	i1	Zoe	Example	\N	Zoe Example	en	0	\N	zoe@example.com	f	\N	\N	f	\N	\N
u3	i1	Old	Example	\N	Old Example	en	0	\N	old@example.com	t	\N	\N	f	\N	\N
u4	i1	Inactive	Example	\N	Inactive Example	en	0	\N	inactive@example.com	t	\N	\N	f	\N	\N
u5	i1	Locked	Example	\N	Locked Example	en	0	\N	locked@example.com	t	\N	\N	f	\N	\N
u6	i1	Initial	Example	\N	Initial Example	en	0	\N	initial@example.com	t	\N	\N	f	\N	\N
u8	i1	Closed	Example	\N	Closed Example	en	0	\N	closed@example.com	t	\N	\N	f	\N	\N
u9	i1	Totp	Example	\N	Totp Example	en	0	\N	totp@example.com	t	\N	\N	f	\N	\N
u10	i1	Google	Example	\N	Google Example	en	0	\N	google@example.com	t	\N	\N	f	\N	\N
u11	i1	Setup	Example	\N	Setup Example	en	0	\N	setup@example.com	t	\N	\N	t	\N	\N
\.


--
-- Data for Name: users14_machines; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.users14_machines (user_id, instance_id, name, description, secret, access_token_type) FROM stdin;
u7	i1	robot	\N	\N	0
\.


--
-- Data for Name: users14_notifications; Type: TABLE DATA; Schema: projections; Owner: -
--

COPY projections.users14_notifications (user_id, instance_id, last_email, verified_email, verified_email_lower, last_phone, verified_phone, password_set) FROM stdin;
u1	i1	ada@example.com	\N	\N	\N	\N	t
u2	i1	zoe@example.com	\N	\N	\N	\N	t
u3	i1	old@example.com	\N	\N	\N	\N	t
u4	i1	inactive@example.com	\N	\N	\N	\N	t
u5	i1	locked@example.com	\N	\N	\N	\N	t
u6	i1	initial@example.com	\N	\N	\N	\N	f
u8	i1	closed@example.com	\N	\N	\N	\N	t
u9	i1	totp@example.com	\N	\N	\N	\N	t
u10	i1	google@example.com	\N	\N	\N	\N	f
u11	i1	setup@example.com	\N	\N	\N	\N	t
\.


--
-- Name: users14 users14_pkey; Type: CONSTRAINT; Schema: projections; Owner: -
--

ALTER TABLE ONLY projections.users14
    ADD CONSTRAINT users14_pkey PRIMARY KEY (instance_id, id);


--
-- PostgreSQL database dump complete
--

\unrestrict dQvxGm03YK8aNKB7MOcGksROyr1bnM3L7xBnK2ii2FAJROm9hRUOv0eBJpEZlsx

