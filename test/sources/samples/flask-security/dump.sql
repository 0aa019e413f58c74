--
-- PostgreSQL database dump
--

\restrict Vc8jR6tIifC7yKLdXm2BbIKl6Cb3rqgkM5blqakg8g0hDN6UKx1RHT4iuP9f6iv

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
-- Name: role; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.role (
    id integer NOT NULL,
    name character varying(80) NOT NULL,
    description character varying(255),
    permissions text,
    update_datetime timestamp without time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.role OWNER TO postgres;

--
-- Name: role_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.role_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.role_id_seq OWNER TO postgres;

--
-- Name: role_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.role_id_seq OWNED BY public.role.id;


--
-- Name: roles_users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.roles_users (
    user_id integer,
    role_id integer
);


ALTER TABLE public.roles_users OWNER TO postgres;

--
-- Name: user; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."user" (
    fs_webauthn_user_handle character varying(64),
    mf_recovery_codes text,
    password character varying(255),
    us_phone_number character varying(128),
    username character varying(255),
    us_totp_secrets text,
    id integer NOT NULL,
    email character varying(255) NOT NULL,
    active boolean NOT NULL,
    fs_uniquifier character varying(64) NOT NULL,
    confirmed_at timestamp without time zone,
    last_login_at timestamp without time zone,
    current_login_at timestamp without time zone,
    last_login_ip character varying(64),
    current_login_ip character varying(64),
    login_count integer,
    tf_primary_method character varying(64),
    tf_totp_secret character varying(255),
    tf_phone_number character varying(128),
    create_datetime timestamp without time zone DEFAULT now() NOT NULL,
    update_datetime timestamp without time zone DEFAULT now() NOT NULL
);


ALTER TABLE public."user" OWNER TO postgres;

--
-- Name: user_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.user_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.user_id_seq OWNER TO postgres;

--
-- Name: user_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.user_id_seq OWNED BY public."user".id;


--
-- Name: web_authn; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.web_authn (
    id integer NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    sign_count integer,
    transports text,
    backup_state boolean NOT NULL,
    device_type character varying(64) NOT NULL,
    extensions character varying(255),
    create_datetime timestamp without time zone DEFAULT now() NOT NULL,
    lastuse_datetime timestamp without time zone NOT NULL,
    name character varying(64) NOT NULL,
    usage character varying(64) NOT NULL,
    user_id integer NOT NULL
);


ALTER TABLE public.web_authn OWNER TO postgres;

--
-- Name: web_authn_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.web_authn_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.web_authn_id_seq OWNER TO postgres;

--
-- Name: web_authn_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.web_authn_id_seq OWNED BY public.web_authn.id;


--
-- Name: role id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.role ALTER COLUMN id SET DEFAULT nextval('public.role_id_seq'::regclass);


--
-- Name: user id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user" ALTER COLUMN id SET DEFAULT nextval('public.user_id_seq'::regclass);


--
-- Name: web_authn id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.web_authn ALTER COLUMN id SET DEFAULT nextval('public.web_authn_id_seq'::regclass);


--
-- Data for Name: role; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.role (id, name, description, permissions, update_datetime) FROM stdin;
1	admin	\N	\N	2026-11-23 17:10:06.844878
\.


--
-- Data for Name: roles_users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.roles_users (user_id, role_id) FROM stdin;
1	1
\.


--
-- Data for Name: user; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."user" (fs_webauthn_user_handle, mf_recovery_codes, password, us_phone_number, username, us_totp_secrets, id, email, active, fs_uniquifier, confirmed_at, last_login_at, current_login_at, last_login_ip, current_login_ip, login_count, tf_primary_method, tf_totp_secret, tf_phone_number, create_datetime, update_datetime) FROM stdin;
94bf3a7f472d46b6a071711e14446788	\N	$2b$04$nBBEbt1ht99y60MRmMza5ubh9NRLTEUMBHW4CWIR0oNXghGos71hm	\N	o'hara	\N	2	o'hara@example.org	t	dffbf8fd50e94937afb98728d8386922	\N	\N	\N	\N	\N	\N	\N	\N	\N	2024-05-08 07:08:09.123456	2024-06-06 00:00:00
6a8dec1e62c04dc495a59bc9582e4e56	\N	$2b$04$53IZ/9ajuWQSDTHf8bG.neUeKEM2c8QOOru1lFeWjH8012jOYlQtK	\N	\N	\N	3	zoe@example.org	t	719e70d40d13431c912476b0ebef9a34	\N	\N	\N	\N	\N	\N	\N	\N	\N	2024-05-09 07:08:09.123456	2024-06-06 00:00:00
099f39b3085440dd9454fce74119ca38	\N	$2b$04$WwEYM.8V7ouDAi4VyfnZAevxF3D1I2Ky7qJUtYJzkmpZuEyVEhyNq	\N	\N	\N	4	off@example.org	f	86cc55d601fc4eee92d653d6aa029d3a	2024-05-06 07:08:09	\N	\N	\N	\N	\N	\N	\N	\N	2024-05-10 07:08:09.123456	2024-06-06 00:00:00
718b7972979447ac995859c0d387fd79	aaaa-bbbb-cccc,dddd-eeee-ffff	$2b$04$CDYUT8w1zrkixRtmkod8keC.dINy0LYGaFj9FrWJxlGcrApDHoqvG	\N	\N	\N	5	two@example.org	t	9d618f1527dc424bbc4cb93d6bf60ed4	2024-05-06 07:08:09	\N	\N	\N	\N	\N	authenticator	{"enckey":{"c":14,"k":"PLPUIGRCKQ3WRRKBSHVJHC5OCTY6OTZY","s":"EUCGB3G57M7QPAHQH3DQ","t":"1","v":1},"type":"totp","v":1}	\N	2024-05-11 07:08:09.123456	2024-06-06 00:00:00
4ea3858b724844cca5a2cb423f648f56	\N	\N	\N	\N	\N	6	nopass@example.org	t	78cc188c4060437d8ccd91c1cb692351	\N	\N	\N	\N	\N	\N	\N	\N	\N	2024-05-12 07:08:09.123456	2024-06-06 00:00:00
54fcdefb6f6845e3a097d709da6da750	\N	$2b$04$GhE9G3.2QN7Gg4SXKXtXDuKEK8bAQyHpUXIaFK4pTRwWIXHlo1npS	\N	pageuser	\N	7	page@example.org	t	cadfbe07f9cc47e3906d59bdabb03200	\N	\N	\N	\N	\N	\N	\N	\N	\N	2024-05-13 07:08:09.123456	2024-06-06 00:00:00
6bdbc6e9b06c43daa36ca81f9c9feac1	\N	$2b$04$FgeOPaIQWSe2CaMKMcLu1OrZYEopWe65c1fmubUSgMqZdNySc4m/C	\N	ada	\N	1	ada@example.org	t	26a67df194564793a7e08ec0e2754c7e	2024-05-06 07:08:09	2026-11-23 17:10:08.256219	2026-11-23 17:10:08.256219	\N	127.0.0.1	1	\N	\N	\N	2024-05-07 07:08:09.123456	2024-06-06 00:00:00
\.


--
-- Data for Name: web_authn; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.web_authn (id, credential_id, public_key, sign_count, transports, backup_state, device_type, extensions, create_datetime, lastuse_datetime, name, usage, user_id) FROM stdin;
\.


--
-- Name: role_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.role_id_seq', 1, true);


--
-- Name: user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.user_id_seq', 7, true);


--
-- Name: web_authn_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.web_authn_id_seq', 1, false);


--
-- Name: role role_name_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.role
    ADD CONSTRAINT role_name_key UNIQUE (name);


--
-- Name: role role_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.role
    ADD CONSTRAINT role_pkey PRIMARY KEY (id);


--
-- Name: user user_email_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_email_key UNIQUE (email);


--
-- Name: user user_fs_uniquifier_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_fs_uniquifier_key UNIQUE (fs_uniquifier);


--
-- Name: user user_fs_webauthn_user_handle_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_fs_webauthn_user_handle_key UNIQUE (fs_webauthn_user_handle);


--
-- Name: user user_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_pkey PRIMARY KEY (id);


--
-- Name: user user_us_phone_number_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_us_phone_number_key UNIQUE (us_phone_number);


--
-- Name: user user_username_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."user"
    ADD CONSTRAINT user_username_key UNIQUE (username);


--
-- Name: web_authn web_authn_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.web_authn
    ADD CONSTRAINT web_authn_pkey PRIMARY KEY (id);


--
-- Name: ix_web_authn_credential_id; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX ix_web_authn_credential_id ON public.web_authn USING btree (credential_id);


--
-- Name: roles_users roles_users_role_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.roles_users
    ADD CONSTRAINT roles_users_role_id_fkey FOREIGN KEY (role_id) REFERENCES public.role(id);


--
-- Name: roles_users roles_users_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.roles_users
    ADD CONSTRAINT roles_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES public."user"(id);


--
-- Name: web_authn web_authn_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.web_authn
    ADD CONSTRAINT web_authn_user_id_fkey FOREIGN KEY (user_id) REFERENCES public."user"(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict Vc8jR6tIifC7yKLdXm2BbIKl6Cb3rqgkM5blqakg8g0hDN6UKx1RHT4iuP9f6iv

