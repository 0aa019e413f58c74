--
-- PostgreSQL database dump
--

\restrict Lph9YNI8xjr5yao7kEO5PUyaBr9F4dM3ANpccz2hFDHFtI9JAJSLJfVceCmd6Tp

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
    name character varying(255),
    admin boolean,
    created timestamp without time zone,
    last_activity timestamp without time zone,
    cookie_id character varying(255) NOT NULL,
    state text,
    encrypted_auth_state bytea
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
-- Name: users_info; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.users_info (
    id integer NOT NULL,
    username character varying(128) NOT NULL,
    password bytea NOT NULL,
    is_authorized boolean,
    login_email_sent boolean,
    email character varying(128),
    has_2fa boolean,
    otp_secret character varying(16)
);


ALTER TABLE public.users_info OWNER TO postgres;

--
-- Name: users_info_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.users_info_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.users_info_id_seq OWNER TO postgres;

--
-- Name: users_info_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.users_info_id_seq OWNED BY public.users_info.id;


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Name: users_info id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users_info ALTER COLUMN id SET DEFAULT nextval('public.users_info_id_seq'::regclass);


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (id, name, admin, created, last_activity, cookie_id, state, encrypted_auth_state) FROM stdin;
1	ada	t	2024-05-06 07:08:09.123456	\N	c98480ba45bc4d5ba3bc74b03ad20d1b	\N	\N
2	zoe	f	2024-05-06 07:08:09.123456	\N	9e54ae6f9ab042a0a63689372f5f0bb7	\N	\N
\.


--
-- Data for Name: users_info; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users_info (id, username, password, is_authorized, login_email_sent, email, has_2fa, otp_secret) FROM stdin;
1	ada	\\x2432622430342477597679774a305745674d794166637966514566597537512e4f76336a74676d673239377a4c64553766367275763577786e636636	t	f	ada@example.org	f	QSW5TRDDNVXNSOO2
4	waiting	\\x24326224303424456a504d4e74335a344f67525a34436636766879752e6d634365697077684166706a516b7744374a5a6b686c337031526f4d4c3479	f	f	waiting@example.org	f	OV3C7LBHXE4K5MYC
2	scarlett	\\x243262243034244a4134694a744e456174493949736f7146594233322e773054614a4153557949396a5264306c706d616e514876414b75626f61474f	t	f	scarlett@example.org	f	EIAIMB4SJ4LHZJIW
3	zoe	\\x2432622430342472307551467a6b756754796533577a4b56745a7267657a37494e4a695956554c764e727561397272593942536a4548497656365057	t	f	zoe@example.org	f	JSTBLWKIIGVVEQR7
5	two	\\x243262243034246b7478506b58784739726c547632597a68416c30452e466e543244516d3742435737644d3653704f707a5476627152587a784f4e43	t	f	two@example.org	t	CZVVWMLUSUR4XRRT
6	noemail	\\x243262243034245375756333634479624a6c7a4574695767656d4d57753537764c2e725a6f3331704d4838512e484c2e4d41706d7158424a486f7547	t	f	\N	f	HJRUNRDQWKKSP2W6
7	mail.name@example.org	\\x24326224303424426b36684e70526b6b557963546e647a2e41646577655851773872356a3255432e5077487a7a444c2f2e74556d314a7641787a4e43	t	f	\N	f	TTMVZHTRBKUWP5XB
\.


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.users_id_seq', 2, true);


--
-- Name: users_info_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.users_info_id_seq', 7, true);


--
-- Name: users pk_users; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);


--
-- Name: users_info pk_users_info; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users_info
    ADD CONSTRAINT pk_users_info PRIMARY KEY (id);


--
-- Name: users uq_users_cookie_id; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT uq_users_cookie_id UNIQUE (cookie_id);


--
-- Name: users uq_users_name; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT uq_users_name UNIQUE (name);


--
-- PostgreSQL database dump complete
--

\unrestrict Lph9YNI8xjr5yao7kEO5PUyaBr9F4dM3ANpccz2hFDHFtI9JAJSLJfVceCmd6Tp

