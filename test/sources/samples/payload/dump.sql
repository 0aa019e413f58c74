--
-- PostgreSQL database dump
--

\restrict ZmzZXGYgzgh7BDYnf5ujJtHKHGY1uvwXdUOswwpDzTMXsApZy6CyAxA0ncYdVU5

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
-- Name: customers; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.customers (
    id integer NOT NULL,
    name character varying,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    enable_a_p_i_key boolean,
    api_key character varying,
    api_key_index character varying,
    email character varying NOT NULL,
    reset_password_token character varying,
    reset_password_expiration timestamp(3) with time zone,
    salt character varying,
    hash character varying,
    _verified boolean,
    _verificationtoken character varying,
    login_attempts numeric DEFAULT 0,
    lock_until timestamp(3) with time zone,
    deleted_at timestamp(3) with time zone,
    reset_password_requested_at timestamp(3) with time zone
);


ALTER TABLE public.customers OWNER TO postgres;

--
-- Name: customers_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.customers_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.customers_id_seq OWNER TO postgres;

--
-- Name: customers_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.customers_id_seq OWNED BY public.customers.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.users (
    id integer NOT NULL,
    name character varying,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    email character varying NOT NULL,
    reset_password_token character varying,
    reset_password_expiration timestamp(3) with time zone,
    salt character varying,
    hash character varying,
    login_attempts numeric DEFAULT 0,
    lock_until timestamp(3) with time zone,
    reset_password_requested_at timestamp(3) with time zone
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
-- Name: customers id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.customers ALTER COLUMN id SET DEFAULT nextval('public.customers_id_seq'::regclass);


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Data for Name: customers; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.customers (id, name, updated_at, created_at, enable_a_p_i_key, api_key, api_key_index, email, reset_password_token, reset_password_expiration, salt, hash, _verified, _verificationtoken, login_attempts, lock_until, deleted_at, reset_password_requested_at) FROM stdin;
1	Ada	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N	\N	ada@example.org	\N	\N	ab8300f6ac9dcb7495dbd39d06e58ad28e4cc7b295c0585f147feecc65bf1265	14c8b5d3b8e1a112ad411cd2a8d56f71115639a43bb7726b4bb1fc508aabdb0506f143db26cd22732f349b73892f7868d588e232c3f789faf0faf12862bd534b4d0dbf24eb08f49c41940ddfe3a4c278ddb4dc9063b2c710b0347f05b3851d235c74badb5c13587c98bfee26e8c9169a05cc6429a504071e3e5a1fc2eb893835ffe986626b3308449f7d79c73c5a06abca6dc5695ecc4f746b5446a253736731c715f7ec6974fe2f54489bc76958532fbd53327008e1f03a24487652f28bc1cece77d32e6c74afb569511d0196c6403afb463ed68c539df859150c4f400eac58d09184383473c902eafde608915b1d6d1390df08cbad80d41d2cbf8830cffe3193813bcc9fa00dddbc34a825a1e2799060c53c3e9e34cdf536b3b9a4ae112601c1e5fe60e4240c7abce5e62a70296e16b17e447d2ad9c788dbfaabfa0a384af0a999afb359d04adaf5ea76d7f41e9bf717c766fda32e2a814a890b009261e077a0da6a109c7b4479f93631c9cd9ec40ee19139074346576a5f2e22b9adc77507233aca68b4bda8776050bcc0f9f8639cf421a9993797287f92e87b55375cd5fb255bf57c99801c4ac89806469263c05527af34ba8cc38c363b979b8c635942a9ebe8f950ded9f08f517eb5056e787ec4d3c279e43bf94073cf5c3d900cc85ea0355bd87727836a228a5e6505eafdfb11e426179d2e90fbfd8630912c88d42863	t	b4c486e0fd2567bf66fce14339cfd52766e97f3a	0	\N	\N	\N
7	Locked	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N	\N	locked@example.org	\N	\N	9e2d50ccf417bb36294b18c6389872a174b8200e59e18621f247225040b531a2	pbkdf2-sha256-v1:ca79ffa20f4c40d25d1a04996b686dcac30a166b28cf656e5f9a43cc70763267	t	b37c91c84b4eabda5c664868706212bff6d764e5	5	2024-05-06 08:08:09.123+00	\N	\N
2	Scarlett O'Hara	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N	\N	o'hara@example.org	\N	\N	7d0b89b648516767bcea781afbbb77976628d5bb3046ac4b6cdfdba68de46e85	615785769aa5c775521142f3e8da033a4f70d6f8b232dc66843d0b46d25088610a59c36f55782029efb02486c22f3a9f1ff422ff9261901514c4cf00844d8d0e2727fe599de09001b666cda91f08ea9cfe94d477add6b5fb67d80d0f1f2c419cda9e05dd9d2c2105b0c3d9ea16ed0b8cabcc0d9f3bd64373611fdebee6b15be81d682a70e2f44c3118a098734f06945b261608d6f9f98723cf62d8d310f92318d9b11d4f75b8ea20d6d37325475578c3f25bd17c5f06885d4379ac99c8096127531261a59572f1d1b5144c71a101fd7c632660cd28bb72ef85125b5e0fd6db2d3f71ceca5af111bd817be1be7f9d7c22a7879e0cf5f157c4f8237b3748f679eeab92223704c7b535670da9f7662f3a31ff64d2e82aad07ef3da8765a62213619d49f5c8147cd118be80428d1e3e6e88b7581195b982041bf036644b0b7840d568855dba5ff5886dfbce9dff224ffbad2528dee72a8bfc36144d41cd5febab79aeb6512de8850ce84c42ad3b9a4c3eeb4fcd5331eb5b59fe6506a0985b20c8a53afe5c5334a9ea597a787e2e5e2b3b4fb2957a27b98a343e36ff8c1630e2285a7e25840f678bca1fa33f3d973332f393c74795bea4939cdb5dd293dc24f67657a53e58cb3df22d249354ae651606ec1ab79633a0a3705ed1d6de4842e48d91adac556b0e023dcf45cd583f9dd235e461056ed980823cab2b79019586c5161eedf	f	43c467e3e040f6f1e4dff73a0e17e9d785c33a0c	0	\N	\N	\N
5	Key	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	t	538669b427cad6bb148bb1c3e13bcd26d90c78ae517ba0824ddd5da4fd9d286b56809fb4a072a0417fc5760fd45cd174d22f4d61	ecdb71bc7ad243200119a5c1b45b8f7511a3196f0150a91dd8d8b38ade93527e	key@example.org	\N	\N	cb316fb8adbcaed1c2ab7eb32973e3c5b967d11864e7bce5f5129aabd8dfc5d6	pbkdf2-sha256-v1:0c13ab6f4b222262548a8251968eb1d16ec0de99941038c5035a595745bd9477	t	023ee443d4eec082e20a51673dab317836e9c60d	0	\N	\N	\N
6	Gone	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N	\N	gone@example.org	\N	\N	a4606d596b287016526ae213a1af409b0ef88896e085a69102dace2915c02965	pbkdf2-sha256-v1:696d421ea6086ede5e9eec1c9a2e43a323fe30b5ce6ad0863460f6354a3bf629	t	5132d8e7b6c2516d3aa97312e616e9b84dafea33	0	\N	2024-06-01 00:00:00+00	\N
3	Upgraded	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N	\N	old.login@example.org	\N	\N	28606513f7afcff54881f4746b5c7a18ea5e81fd3eb0d73fff13061ab4e949d9	pbkdf2-sha256-v1:d505a54b38004de6c7fcda09f4abf6a935b8c67a1c26ed5db096679ffaad40be	t	fd5b1e8c438ad24a6285664d7c24a95288ed8953	0	\N	\N	\N
4	Zoë	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	\N	\N	\N	zoe@example.org	\N	\N	076ea3e595bcb25fc2937378c65f345bb9e5b0cfa3d0f9363bd8af73144b2b20	pbkdf2-sha256-v1:236f2e60f580def4b088370eacc5f602031650c3de0865efe04490e35ed22fa4	t	6401181483b9b175b44e5f2d452f036dd9a35cb1	0	\N	\N	\N
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (id, name, updated_at, created_at, email, reset_password_token, reset_password_expiration, salt, hash, login_attempts, lock_until, reset_password_requested_at) FROM stdin;
1	Staff	2024-05-06 07:08:09.123+00	2024-05-06 07:08:09.123+00	staff@example.org	\N	\N	3ca10cfa38ab71a20302e582fe9959556f7a1a9dc9a8521979e16455c30a8539	7708971c5245b6f601fba4edec9132f65820fbe36440b5503cb0008185848dfd51b0670e53e8493bc002030c4d0c5e879918fd54084261f732785b638c2b699d56113f34d873a2ec39f5d48f4fa0cb077426130fa109f544d706291dcd31327b67480a7c7faa57a4abf8117fb77e02cd0dfe700e56e160fb4628e934cd738322317d8df667d428c8d8f12ccd234dfa6d93f694fed592e94a83b10526bb8150c630a88aa7532581dbf31f44144af6768c6422b14d2ae2ab01882d434c1e1b2cef0955683abd1b2cd55d7491b948ff3e0f83d64b373209af676eab5c63569a0f86465635fdaa08ef87f0aef9de639273e12898d5a433d1c7d06686986db7205daa6aaee86d7696fc70455a1973513b1027573553466527fc972f99180ab2cc2edca16aefaece67d53de7118b00408ae3680fade7e5510d1aca664057e48b07e1552fddd0f56e675d6d68f20266f4bc9fdd6680c44605d3f52553c5cf77b0e8bdcbb50f4dd275052d74c3e85a80b79761ea42e2d5d0e5a634f4fb21e6bd673a4963cb007c25133a5064d7c2dd4aa2fd823b61211255d0c170723fecea8364964cac7e4b5eb9c2badb1b677cd56a0be065d9439f14fb601caeed1d98a4d9e4b1845f7dea66c639c20cea1cf243f3ee9fad99954ccdbdcf17860ec0f58f21d37411299b34de667b5e1c341af16e8456d04e811ae0ff8477714892ed99160b2b93b4c7	0	\N	\N
\.


--
-- Name: customers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.customers_id_seq', 7, true);


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.users_id_seq', 1, true);


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: customers_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX customers_created_at_idx ON public.customers USING btree (created_at);


--
-- Name: customers_deleted_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX customers_deleted_at_idx ON public.customers USING btree (deleted_at);


--
-- Name: customers_email_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX customers_email_idx ON public.customers USING btree (email);


--
-- Name: customers_updated_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX customers_updated_at_idx ON public.customers USING btree (updated_at);


--
-- Name: users_created_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX users_created_at_idx ON public.users USING btree (created_at);


--
-- Name: users_email_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX users_email_idx ON public.users USING btree (email);


--
-- Name: users_updated_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX users_updated_at_idx ON public.users USING btree (updated_at);


--
-- PostgreSQL database dump complete
--

\unrestrict ZmzZXGYgzgh7BDYnf5ujJtHKHGY1uvwXdUOswwpDzTMXsApZy6CyAxA0ncYdVU5

