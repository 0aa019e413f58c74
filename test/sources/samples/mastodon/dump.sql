--
-- PostgreSQL database dump
--

-- Dumped from database version 15.13
-- Dumped by pg_dump version 15.13

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;

--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.accounts (id, username, domain, private_key, public_key, created_at, updated_at, note, display_name, uri, url, avatar_file_name, avatar_content_type, avatar_file_size, avatar_updated_at, header_file_name, header_content_type, header_file_size, header_updated_at, avatar_remote_url, locked, header_remote_url, last_webfingered_at, inbox_url, outbox_url, shared_inbox_url, followers_url, protocol, memorial, moved_to_account_id, featured_collection_url, fields, actor_type, discoverable, also_known_as, silenced_at, suspended_at, hide_collections, avatar_storage_schema_version, header_storage_schema_version, sensitized_at, suspension_origin, trendable, reviewed_at, requested_review_at, indexable, attribution_domains, following_url, id_scheme, feature_approval_policy) FROM stdin;
1000000000000100	ada	\N	PRIVATE	PUBLIC	2023-03-10 09:08:07.123456	2023-03-10 09:08:07.123456		Ada Lovelace		\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000101	bob	\N	PRIVATE	PUBLIC	2023-03-11 09:08:07.123456	2023-03-11 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	2024-05-01 10:00:00	\N	\N	\N	\N	0	\N	\N	\N	f	{}		1	0
1000000000000102	cyd	\N	PRIVATE	PUBLIC	2023-03-12 09:08:07.123456	2023-03-12 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000103	dan	\N	PRIVATE	PUBLIC	2023-03-13 09:08:07.123456	2023-03-13 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000104	eve	\N	PRIVATE	PUBLIC	2023-03-14 09:08:07.123456	2023-03-14 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000105	fay	\N	PRIVATE	PUBLIC	2023-03-15 09:08:07.123456	2023-03-15 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000106	gus	\N	PRIVATE	PUBLIC	2023-03-16 09:08:07.123456	2023-03-16 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	t	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000107	hal	\N	PRIVATE	PUBLIC	2023-03-17 09:08:07.123456	2023-03-17 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
1000000000000109	joy	\N	PRIVATE	PUBLIC	2023-03-19 09:08:07.123456	2023-03-19 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	990	\N	\N	\N	\N	\N	2024-05-01 10:00:00	\N	\N	\N	\N	\N	\N	\N	\N	\N	f	{}		1	0
990	ada	other.example	PRIVATE	PUBLIC	2023-03-11 09:08:07.123456	2023-03-11 09:08:07.123456				\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	f		\N					0	f	\N	\N	\N	\N	\N	\N	\N	2024-05-01 10:00:00	\N	\N	\N	\N	0	\N	\N	\N	f	{}		1	0
\.


--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.identities (id, provider, uid, created_at, updated_at, user_id) FROM stdin;
8	openid_connect	sub-8	2023-03-17 09:08:07.123456	2023-03-17 09:08:07.123456	8
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.users (id, email, created_at, updated_at, encrypted_password, reset_password_token, reset_password_sent_at, sign_in_count, current_sign_in_at, last_sign_in_at, confirmation_token, confirmed_at, confirmation_sent_at, unconfirmed_email, locale, otp_required_for_login, last_emailed_at, otp_backup_codes, account_id, disabled, invite_id, chosen_languages, created_by_application_id, approved, sign_in_token, sign_in_token_sent_at, webauthn_id, sign_up_ip, role_id, settings, time_zone, otp_secret, age_verified_at, require_tos_interstitial, consumed_timestep) FROM stdin;
1	ada@masto.example	2023-03-10 09:08:07.123456	2023-03-10 09:08:07.123456	$2a$04$vrBl/StAgCZzJzxGNSfeJu2SXJjRUR5X3688TyI0/XCcyKWiwwEsO	\N	\N	0	\N	\N	confirm-ada	2023-03-10 09:08:07.123456	2023-03-10 09:08:07.123456	\N	en	f	\N	\N	1000000000000100	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	3	{}	\N	\N	\N	f	\N
2	bob@masto.example	2023-03-11 09:08:07.123456	2023-03-11 09:08:07.123456	$2a$04$slOFpXi15P6W5HAqEYSAseyFgsxoqyrxb9ngVKpuTceBhzGIox6.S	\N	\N	1	\N	\N	confirm-bob	2023-03-11 09:08:07.123456	2023-03-11 09:08:07.123456	\N	en	f	\N	\N	1000000000000101	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
3	cyd@masto.example	2023-03-12 09:08:07.123456	2023-03-12 09:08:07.123456	$2a$04$6PzL7C8FRJ.8ieG2qXONAu.Rqr1SmQgGG06vcJmOJmPnvAFx1uUGa	\N	\N	2	\N	\N	confirm-cyd	2023-03-12 09:08:07.123456	2023-03-12 09:08:07.123456	\N	en	f	\N	\N	1000000000000102	t	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
4	dan@masto.example	2023-03-13 09:08:07.123456	2023-03-13 09:08:07.123456	$2a$04$hc.8vWyAj59YT0AX2Dlxe.C5vT/o64rtCSCBAriJKWkvShKysxzLe	\N	\N	3	\N	\N	confirm-dan	2023-03-13 09:08:07.123456	2023-03-13 09:08:07.123456	\N	en	f	\N	\N	1000000000000103	f	\N	\N	\N	f	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
5	eve@masto.example	2023-03-14 09:08:07.123456	2023-03-14 09:08:07.123456	$2a$04$udpLaZDmeqWWE74s0cJqIeffeswAUcYLW52L5mnm.aE1rSLhSEmIO	\N	\N	4	\N	\N	confirm-eve	\N	2023-03-14 09:08:07.123456	\N	en	f	\N	\N	1000000000000104	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
6	fay@masto.example	2023-03-15 09:08:07.123456	2023-03-15 09:08:07.123456	$2a$04$Vz/MHS4xovT6qhUtqX8Qiuc54LL51zs8Y0zdk2NiWcXsDIuYX4vj6	\N	\N	5	\N	\N	confirm-fay	2023-03-15 09:08:07.123456	2023-03-15 09:08:07.123456	\N	en	t	\N	\N	1000000000000105	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	{"p":"5mYd8w==","h":{"iv":"a2V5","at":"dGFn"}}	\N	f	\N
7	gus@masto.example	2023-03-16 09:08:07.123456	2023-03-16 09:08:07.123456	$2a$04$/ImDNEVi5fpzc3KWKvjUGeJuAPA9ITQAEFEnx0iv0X.KVONYVdaUy	\N	\N	6	\N	\N	confirm-gus	2023-03-16 09:08:07.123456	2023-03-16 09:08:07.123456	\N	en	f	\N	\N	1000000000000106	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
8	hal@masto.example	2023-03-17 09:08:07.123456	2023-03-17 09:08:07.123456		\N	\N	7	\N	\N	confirm-hal	2023-03-17 09:08:07.123456	2023-03-17 09:08:07.123456	\N	en	f	\N	\N	1000000000000107	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
9	ida@masto.example	2023-03-18 09:08:07.123456	2023-03-18 09:08:07.123456	$2a$04$ZjUNv6NvnCV5bggG/QfVQ./Nt3GgxjVbXqljIECwxfDm1dtV3Vlri	\N	\N	8	\N	\N	confirm-ida	2023-03-18 09:08:07.123456	2023-03-18 09:08:07.123456	\N	en	f	\N	\N	1000000000000108	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
10	joy@masto.example	2023-03-19 09:08:07.123456	2023-03-19 09:08:07.123456	$2a$04$m2C5m/tq7DCxS4/eT7wBgO0/wTiKcmcXkn.5MBleJhalAabPz7zSm	\N	\N	9	\N	\N	confirm-joy	2023-03-19 09:08:07.123456	2023-03-19 09:08:07.123456	\N	en	f	\N	\N	1000000000000109	f	\N	\N	\N	t	\N	\N	\N	192.0.2.7	\N	{}	\N	\N	\N	f	\N
\.


--
-- Data for Name: session_activations; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.session_activations (id, session_id, created_at, updated_at, user_agent, ip, access_token_id, user_id, web_push_subscription_id) FROM stdin;
1	s1	2024-05-01 10:00:00	2024-05-01 10:00:00		192.0.2.7	\N	1	\N
\.


--
-- PostgreSQL database dump complete
--

