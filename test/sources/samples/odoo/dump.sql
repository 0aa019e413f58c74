--
-- PostgreSQL database dump
--

\restrict PXi9hi3IGe0qFyjvTniVPgG42qBAUl2qrVhIK5zXliRD8vrHgzOQgfsYYNQJQyq

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
-- Name: auth_oauth_provider; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_oauth_provider (
    id integer NOT NULL,
    sequence integer,
    create_uid integer,
    write_uid integer,
    name character varying NOT NULL,
    client_id character varying,
    auth_endpoint character varying NOT NULL,
    scope character varying,
    validation_endpoint character varying NOT NULL,
    data_endpoint character varying,
    css_class character varying,
    body jsonb NOT NULL,
    enabled boolean,
    create_date timestamp without time zone,
    write_date timestamp without time zone
);


--
-- Name: auth_oauth_provider_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.auth_oauth_provider_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: auth_oauth_provider_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.auth_oauth_provider_id_seq OWNED BY public.auth_oauth_provider.id;


--
-- Name: res_partner; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.res_partner (
    id integer NOT NULL,
    company_id integer,
    create_date timestamp without time zone,
    name character varying,
    title integer,
    parent_id integer,
    user_id integer,
    state_id integer,
    country_id integer,
    industry_id integer,
    color integer,
    commercial_partner_id integer,
    create_uid integer,
    write_uid integer,
    display_name character varying,
    ref character varying,
    lang character varying,
    tz character varying,
    vat character varying,
    company_registry character varying,
    website character varying,
    function character varying,
    type character varying,
    street character varying,
    street2 character varying,
    zip character varying,
    city character varying,
    email character varying,
    phone character varying,
    mobile character varying,
    commercial_company_name character varying,
    company_name character varying,
    date date,
    comment text,
    partner_latitude numeric,
    partner_longitude numeric,
    active boolean,
    employee boolean,
    is_company boolean,
    partner_share boolean,
    write_date timestamp without time zone,
    message_main_attachment_id integer,
    message_bounce integer,
    email_normalized character varying,
    signup_token character varying,
    signup_type character varying,
    signup_expiration timestamp without time zone,
    partner_gid integer,
    additional_info character varying,
    phone_sanitized character varying,
    CONSTRAINT res_partner_check_name CHECK (((((type)::text = 'contact'::text) AND (name IS NOT NULL)) OR ((type)::text <> 'contact'::text)))
);


--
-- Name: res_partner_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.res_partner_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: res_partner_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.res_partner_id_seq OWNED BY public.res_partner.id;


--
-- Name: res_users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.res_users (
    id integer NOT NULL,
    company_id integer NOT NULL,
    partner_id integer NOT NULL,
    active boolean DEFAULT true,
    create_date timestamp without time zone,
    login character varying NOT NULL,
    password character varying,
    action_id integer,
    create_uid integer,
    write_uid integer,
    signature text,
    share boolean,
    write_date timestamp without time zone,
    totp_secret character varying,
    notification_type character varying NOT NULL,
    odoobot_state character varying,
    odoobot_failed boolean,
    oauth_provider_id integer,
    oauth_uid character varying,
    oauth_access_token character varying,
    CONSTRAINT res_users_notification_type CHECK ((((notification_type)::text = 'email'::text) OR (NOT share)))
);


--
-- Name: res_users_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.res_users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: res_users_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.res_users_id_seq OWNED BY public.res_users.id;


--
-- Name: auth_oauth_provider id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_oauth_provider ALTER COLUMN id SET DEFAULT nextval('public.auth_oauth_provider_id_seq'::regclass);


--
-- Name: res_partner id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner ALTER COLUMN id SET DEFAULT nextval('public.res_partner_id_seq'::regclass);


--
-- Name: res_users id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users ALTER COLUMN id SET DEFAULT nextval('public.res_users_id_seq'::regclass);


--
-- Data for Name: auth_oauth_provider; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_oauth_provider (id, sequence, create_uid, write_uid, name, client_id, auth_endpoint, scope, validation_endpoint, data_endpoint, css_class, body, enabled, create_date, write_date) FROM stdin;
2	10	1	1	Facebook Graph	\N	https://www.facebook.com/dialog/oauth	public_profile,email	https://graph.facebook.com/me	https://graph.facebook.com/me?fields=id,name,email	fa fa-fw fa-facebook-square	{"en_US": "Log in with Facebook"}	\N	2026-11-28 18:58:42.512115	2026-11-28 18:58:42.512115
3	10	1	1	Google OAuth2	\N	https://accounts.google.com/o/oauth2/auth	openid profile email	https://www.googleapis.com/oauth2/v3/userinfo	\N	fa fa-fw fa-google	{"en_US": "Log in with Google"}	\N	2026-11-28 18:58:42.512115	2026-11-28 18:58:42.512115
1	10	1	1	Odoo.com Accounts	ad2ad94e-eb5d-11f1-a0fc-02fc00000001	https://accounts.odoo.com/oauth2/auth	userinfo	https://accounts.odoo.com/oauth2/tokeninfo	\N	fa fa-fw o_custom_icon	{"en_US": "Log in with Odoo.com"}	t	2026-11-28 18:58:42.512115	2026-11-28 18:58:42.512115
\.


--
-- Data for Name: res_partner; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.res_partner (id, company_id, create_date, name, title, parent_id, user_id, state_id, country_id, industry_id, color, commercial_partner_id, create_uid, write_uid, display_name, ref, lang, tz, vat, company_registry, website, function, type, street, street2, zip, city, email, phone, mobile, commercial_company_name, company_name, date, comment, partner_latitude, partner_longitude, active, employee, is_company, partner_share, write_date, message_main_attachment_id, message_bounce, email_normalized, signup_token, signup_type, signup_expiration, partner_gid, additional_info, phone_sanitized) FROM stdin;
7	\N	2026-11-28 18:59:14.889432	Ada Lovelace	\N	\N	\N	\N	\N	\N	0	7	1	1	Ada Lovelace	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	ada@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	f	2026-11-28 18:59:14.889432	\N	0	ada@example.com	\N	\N	\N	\N	\N	\N
8	\N	2026-11-28 18:59:14.889432	Zoë 😀	\N	\N	\N	\N	\N	\N	0	8	1	1	Zoë 😀	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	zoe@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	t	2026-11-28 18:59:14.889432	\N	0	zoe@example.com	\N	\N	\N	\N	\N	\N
9	\N	2026-11-28 18:59:14.889432	Bob	\N	\N	\N	\N	\N	\N	0	9	1	1	Bob	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	bob@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	f	2026-11-28 18:59:14.889432	\N	0	bob@example.com	\N	\N	\N	\N	\N	\N
10	\N	2026-11-28 18:59:14.889432	No Mail	\N	\N	\N	\N	\N	\N	0	10	1	1	No Mail	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	f	2026-11-28 18:59:14.889432	\N	0	\N	\N	\N	\N	\N	\N	\N
11	\N	2026-11-28 18:59:14.889432	Archived	\N	\N	\N	\N	\N	\N	0	11	1	1	Archived	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	old@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	t	2026-11-28 18:59:14.889432	\N	0	old@example.com	\N	\N	\N	\N	\N	\N
12	\N	2026-11-28 18:59:14.889432	Invited	\N	\N	\N	\N	\N	\N	0	12	1	1	Invited	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	invited@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	t	2026-11-28 18:59:14.889432	\N	0	invited@example.com	\N	\N	\N	\N	\N	\N
13	\N	2026-11-28 18:59:14.889432	Goo Gle	\N	\N	\N	\N	\N	\N	0	13	1	1	Goo Gle	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	google@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	f	2026-11-28 18:59:14.889432	\N	0	google@example.com	\N	\N	\N	\N	\N	\N
14	\N	2026-11-28 18:59:14.889432	To Tp	\N	\N	\N	\N	\N	\N	0	14	1	1	To Tp	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	totp@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	f	2026-11-28 18:59:14.889432	\N	0	totp@example.com	\N	\N	\N	\N	\N	\N
15	\N	2026-11-28 18:59:14.889432	Gone	\N	\N	\N	\N	\N	\N	0	15	1	14	Gone	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	gone@example.com	\N	\N	\N	\N	\N	\N	\N	\N	f	\N	f	t	2026-11-28 18:59:14.889432	\N	0	gone@example.com	\N	\N	\N	\N	\N	\N
1	\N	2026-11-28 18:57:52.330821	My Company	\N	\N	\N	\N	\N	\N	0	1	\N	1	My Company	\N	en_US	\N	\N	\N	\N	\N	contact		\N			\N		\N	My Company	\N	\N	\N	\N	\N	t	\N	t	t	2026-11-28 18:58:45.382904	\N	0	\N	\N	\N	\N	\N	\N	\N
5	\N	2026-11-28 18:57:52.330821	Default User Template	\N	\N	\N	\N	\N	\N	0	5	1	1	Default User Template	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	\N	f	t	2026-11-28 18:58:45.382904	\N	0	\N	\N	\N	\N	\N	\N	\N
4	\N	2026-11-28 18:57:52.330821	Public user	\N	\N	\N	\N	\N	\N	0	4	1	1	Public user	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	\N	f	t	2026-11-28 18:58:45.382904	\N	0	\N	\N	\N	\N	\N	\N	\N
6	\N	2026-11-28 18:57:52.330821	Portal User Template	\N	\N	\N	\N	\N	\N	0	6	1	1	Portal User Template	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	\N	f	t	2026-11-28 18:58:45.382904	\N	0	\N	\N	\N	\N	\N	\N	\N
3	1	2026-11-28 18:57:52.330821	Administrator	\N	\N	\N	\N	\N	\N	0	3	1	1	Administrator	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	admin@example.com	\N	\N	\N	\N	\N	\N	\N	\N	t	\N	f	f	2026-11-28 18:58:45.382904	\N	0	admin@example.com	\N	\N	\N	\N	\N	\N
2	1	2026-11-28 18:57:52.330821	OdooBot	\N	\N	\N	\N	\N	\N	0	2	1	1	OdooBot	\N	en_US	\N	\N	\N	\N	\N	contact	\N	\N	\N	\N	odoobot@example.com	\N	\N	\N	\N	\N	\N	\N	\N	f	\N	f	f	2026-11-28 18:58:45.382904	\N	0	odoobot@example.com	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: res_users; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.res_users (id, company_id, partner_id, active, create_date, login, password, action_id, create_uid, write_uid, signature, share, write_date, totp_secret, notification_type, odoobot_state, odoobot_failed, oauth_provider_id, oauth_uid, oauth_access_token) FROM stdin;
11	1	12	t	2023-05-06 07:08:09.5	invited@example.com	\N	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Invited</p>	t	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
6	1	7	t	2023-05-06 07:08:09.5	ada@example.com	$pbkdf2-sha512$1000$wfi/t1Zqzbm3Vuo955wT4g$gaDnGYLuouFn.g5Jf9cwoKYs8pSEN7WqFlmOyGTLKuQ6Love1mIaN1PA4ecOV16bu2Qlubf3rvUdTLvjN4cKGA	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Ada Lovelace</p>	f	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
7	1	8	t	2023-05-06 07:08:09.5	zoe@example.com	$pbkdf2-sha512$1000$4Nwbg7BWSqnVeg9BCCFECA$5Gv61BMJ.alUI9USCzFG1Y141kfQHuN3zC9F7xcSKGaUzp5JejqvdSnH7jg5EEOAtji9zBm8uyC.yEt3auP/sA	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Zoë 😀</p>	t	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
8	1	9	t	2023-05-06 07:08:09.5	bob	$pbkdf2-sha512$1000$954T4nxvTWltjXHOWQsBYA$fpYU6qTW7Spb090gqvirxlsBeBDiO550nn1iAnbAPECnIPyRJlOqf7tK2gwlE.qB9swpBO2aET3G4GSAZfNvVw	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Bob</p>	f	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
9	1	10	t	2023-05-06 07:08:09.5	nomail	$pbkdf2-sha512$1000$.f/few/BmBMiRChlDCHEWA$vxVH.hzVtimXU1kJTt65DYCDa1FSr9vlR8VWHpB53t6xYS8sykmzT4q.f3OWd7WeoHuyGxEaoY1HuS.GsjB9HA	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">No Mail</p>	f	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
10	1	11	f	2023-05-06 07:08:09.5	old@example.com	$pbkdf2-sha512$1000$lTJGKMWYEyJEyBmjNAbAuA$rcdpC04ok2UXV0mse00JDkoRNiOf8ntG4MtrxxgmjGegmyl15NV8IIXZoybgW2QBUnFt.DJPtZQFyuGduVemSQ	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Archived</p>	f	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
12	1	13	t	2023-05-06 07:08:09.5	google@example.com	\N	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Goo Gle</p>	f	2026-11-28 18:59:14.889432	\N	email	\N	\N	3	1234567890	\N
2	1	3	t	2023-05-06 07:08:09.5	admin	$pbkdf2-sha512$350000$P0fIufc.51wrZaw1BgAg5A$ffEMQAhJ3KjttBM56VnfPWpFzyRvXCBgaFzsjLmK19Doi23sOYfXn73uETcxuQNAnCsLQ81aLtQTT8ibP8u4RQ	\N	1	1	<span data-o-mail-quote="1">-- <br data-o-mail-quote="1">\nAdministrator</span>	f	2026-11-28 18:57:52.330821	\N	email	\N	\N	\N	\N	\N
3	1	5	f	2023-05-06 07:08:09.5	default	\N	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Default User Template</p>	f	2026-11-28 18:57:52.330821	\N	email	\N	\N	\N	\N	\N
5	1	6	f	2023-05-06 07:08:09.5	portaltemplate	\N	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Portal User Template</p>	t	2026-11-28 18:57:52.330821	\N	email	\N	\N	\N	\N	\N
4	1	4	f	2023-05-06 07:08:09.5	public	$pbkdf2-sha512$350000$RKj1HoNwLqUUQojxXosxxg$A8IttGZg0byI6FSviBRuzm8vSLYpCb9WN1ri1HfIJ3St5B834XEg6wreEHka/WGz0MCC0yg4iMzvhBa3Lj0fow	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Public user</p>	t	2026-11-28 18:58:26.712029	\N	email	\N	\N	\N	\N	\N
13	1	14	t	2023-05-06 07:08:09.5	totp@example.com	$pbkdf2-sha512$1000$j5FSCgHA.H.PsZay1hoj5A$/dd8CdWOcmH6.4.Ig7iVmHrQa1AxPYTNQ1n1QZEmzUkc915LoC6i7je5YyJWjn.e1QbCCPmpldePxkt1jC5zWQ	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">To Tp</p>	f	2026-11-28 18:59:14.889432	JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP	email	\N	\N	\N	\N	\N
1	1	2	f	2023-05-06 07:08:09.5	__system__	\N	\N	\N	1	<span data-o-mail-quote="1">-- <br data-o-mail-quote="1">\nSystem</span>	f	2026-11-28 18:58:40.271894	\N	inbox	disabled	\N	\N	\N	\N
14	1	15	f	2023-05-06 07:08:09.5	__deleted_user_14_1795892356.3052032	$pbkdf2-sha512$1000$PycEYCzl/J/zvtdai3FuLQ$lbpk9VP4xtFD5tVZ2vF7i2HbBeg1btbHGtf7pXsQdKYzBoO3i0hMWtbiP6zYlML55Cjr3/dGzScmHhWEusD2ug	\N	1	1	<p data-o-mail-quote="1">--<br data-o-mail-quote="1">Gone</p>	t	2026-11-28 18:59:14.889432	\N	email	\N	\N	\N	\N	\N
\.


--
-- Name: auth_oauth_provider_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_oauth_provider_id_seq', 3, true);


--
-- Name: res_partner_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.res_partner_id_seq', 15, true);


--
-- Name: res_users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.res_users_id_seq', 14, true);


--
-- Name: auth_oauth_provider auth_oauth_provider_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_oauth_provider
    ADD CONSTRAINT auth_oauth_provider_pkey PRIMARY KEY (id);


--
-- Name: res_partner res_partner_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_pkey PRIMARY KEY (id);


--
-- Name: res_users res_users_login_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_login_key UNIQUE (login);


--
-- Name: res_users res_users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_pkey PRIMARY KEY (id);


--
-- Name: res_users res_users_uniq_users_oauth_provider_oauth_uid; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_uniq_users_oauth_provider_oauth_uid UNIQUE (oauth_provider_id, oauth_uid);


--
-- Name: res_partner_commercial_partner_id_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_commercial_partner_id_index ON public.res_partner USING btree (commercial_partner_id);


--
-- Name: res_partner_company_id_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_company_id_index ON public.res_partner USING btree (company_id);


--
-- Name: res_partner_date_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_date_index ON public.res_partner USING btree (date);


--
-- Name: res_partner_display_name_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_display_name_index ON public.res_partner USING btree (display_name);


--
-- Name: res_partner_name_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_name_index ON public.res_partner USING btree (name);


--
-- Name: res_partner_parent_id_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_parent_id_index ON public.res_partner USING btree (parent_id);


--
-- Name: res_partner_ref_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_ref_index ON public.res_partner USING btree (ref);


--
-- Name: res_partner_vat_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_partner_vat_index ON public.res_partner USING btree (vat);


--
-- Name: res_users_partner_id_index; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX res_users_partner_id_index ON public.res_users USING btree (partner_id);


--
-- Name: auth_oauth_provider auth_oauth_provider_create_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_oauth_provider
    ADD CONSTRAINT auth_oauth_provider_create_uid_fkey FOREIGN KEY (create_uid) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- Name: auth_oauth_provider auth_oauth_provider_write_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_oauth_provider
    ADD CONSTRAINT auth_oauth_provider_write_uid_fkey FOREIGN KEY (write_uid) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_commercial_partner_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_commercial_partner_id_fkey FOREIGN KEY (commercial_partner_id) REFERENCES public.res_partner(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_company_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.res_company(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_country_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_country_id_fkey FOREIGN KEY (country_id) REFERENCES public.res_country(id) ON DELETE RESTRICT;


--
-- Name: res_partner res_partner_create_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_create_uid_fkey FOREIGN KEY (create_uid) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_industry_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_industry_id_fkey FOREIGN KEY (industry_id) REFERENCES public.res_partner_industry(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_message_main_attachment_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_message_main_attachment_id_fkey FOREIGN KEY (message_main_attachment_id) REFERENCES public.ir_attachment(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_parent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.res_partner(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_state_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_state_id_fkey FOREIGN KEY (state_id) REFERENCES public.res_country_state(id) ON DELETE RESTRICT;


--
-- Name: res_partner res_partner_title_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_title_fkey FOREIGN KEY (title) REFERENCES public.res_partner_title(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- Name: res_partner res_partner_write_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_partner
    ADD CONSTRAINT res_partner_write_uid_fkey FOREIGN KEY (write_uid) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- Name: res_users res_users_company_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.res_company(id) ON DELETE RESTRICT;


--
-- Name: res_users res_users_create_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_create_uid_fkey FOREIGN KEY (create_uid) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- Name: res_users res_users_oauth_provider_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_oauth_provider_id_fkey FOREIGN KEY (oauth_provider_id) REFERENCES public.auth_oauth_provider(id) ON DELETE SET NULL;


--
-- Name: res_users res_users_partner_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.res_partner(id) ON DELETE RESTRICT;


--
-- Name: res_users res_users_write_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.res_users
    ADD CONSTRAINT res_users_write_uid_fkey FOREIGN KEY (write_uid) REFERENCES public.res_users(id) ON DELETE SET NULL;


--
-- PostgreSQL database dump complete
--

\unrestrict PXi9hi3IGe0qFyjvTniVPgG42qBAUl2qrVhIK5zXliRD8vrHgzOQgfsYYNQJQyq

