--
-- PostgreSQL database dump
--

\restrict cUIjJGJMt7ZTsDpLggymBu5Y2qqRQ78SLVEfuLta5Oqo8N6klVfoKGfQlcBMDak

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
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.auth_user (id, password, last_login, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined) FROM stdin;
1	pbkdf2_sha256$1000000$Ujm5cKbIknky1phkkYfk0V$LclsPYc8nPtwzAxgM6tqdHUAEzcfyUVfpOifbkDX1jA=	\N	f	ada	Ada		ada@example.org	f	t	2024-11-25 08:21:46.898903+00
2	argon2$argon2id$v=19$m=102400,t=2,p=8$YkVneHdpSmZlbHVlMnhUWm9zdlV2Tw$a8S6EFZjILT8IUm2HMimiA2WtfotK55t02lYHiCH3Dk	\N	f	zoe	Zoë	绘	zoe@example.org	f	t	2024-11-25 08:21:49.54486+00
3	scrypt$16384$baauW2LddZnK8wSlnuHhDu$8$5$usnld6mMr0Jy+reah0KSEWkya8tUNGiH7M1L76d9zzG4q86pWLcMxx2xlraOteoWDHUbXJsXhtvpAXfvm9fZEw==	\N	f	obrien		O'Brien \\	OBrien@example.org	f	t	2024-11-25 08:21:54.64854+00
4	pbkdf2_sha256$1000000$3sAYbWfyBdxlnjXk3ftsS0$8xx1njXbmE+DmbV56lfbjY8Li+oRTr8Db+P19HyOjxU=	\N	f	dis			dis@example.org	f	f	2024-11-25 08:21:57.889373+00
5	pbkdf2_sha256$1000000$q4dYzEwrV2O9W4ALxUTCb1$AuZokGhhyqfJep0V5hru4PIkYolzXqNBSyW03MNhH3U=	\N	f	unv			unv@example.org	f	t	2024-11-25 08:21:58.85056+00
6	pbkdf2_sha256$1000000$4jAJxm1esO69im3iUXRjez$0eHeeSH9rCxtRg+NZk+8qgeD32wlD6l0nqAUuBn8G6Q=	\N	f	mfa			mfa@example.org	f	t	2024-11-25 08:22:00.455632+00
7	pbkdf2_sha256$1000000$jmQpOIy6c2nmHb7mfsRNNN$twh/fR6mfZG/D3B4uQ/QKvLRoVBQ8QlwUgOrGa/j1FA=	\N	f	otp			otp@example.org	f	t	2024-11-25 08:22:01.447622+00
8	!JnevEuunfKro7jviFOC4i7MHoUjR4WB3cyshsXVR	\N	f	soc			soc@example.org	f	t	2024-11-25 08:22:02.311116+00
9	md5$nKnl0rMvwsjpBGv3ail8TN$abc3e80de554cedb580003583df1cb0f	\N	f	old			old@example.org	f	t	2024-11-25 08:22:02.315127+00
10	pbkdf2_sha256$1000000$iQeV3OMrL5fFb2vpYsdq5e$6ddCJvz7qkFSyK/mu8g8pNkR4zdVQ3XptjWSP8RAW3Y=	\N	f	noemail				f	t	2024-11-25 08:22:03.362732+00
12	pbkdf2_sha256$1000000$mSb1QkPGoGy8IDJTIcQDOg$z60L0vRY1tQ/lVmu+ZY3sE4W2gnlCpVHtkNJFzlFCy0=	\N	f	two			two@example.org	f	t	2024-11-25 08:22:04.753525+00
\.


--
-- Data for Name: account_emailaddress; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.account_emailaddress (id, email, verified, "primary", user_id) FROM stdin;
1	ada@example.org	t	t	1
2	zoe@example.org	t	t	2
3	OBrien@Example.org	t	t	3
4	dis@example.org	t	t	4
5	unv@example.org	f	t	5
6	mfa@example.org	t	t	6
7	otp@example.org	t	t	7
8	soc@example.org	t	t	8
9	old@example.org	t	t	9
11	two@example.org	t	t	12
12	second@example.org	f	f	12
\.


--
-- Data for Name: mfa_authenticator; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.mfa_authenticator (id, type, data, user_id, created_at, last_used_at) FROM stdin;
1	totp	{"secret": "JBSWY3DPEHPK3PXP"}	6	2024-11-25 08:22:01.434031+00	\N
2	recovery_codes	{"seed": "abcd", "used_mask": 0}	6	2024-11-25 08:22:01.443832+00	\N
\.


--
-- Data for Name: otp_totp_totpdevice; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.otp_totp_totpdevice (id, name, confirmed, key, step, t0, digits, tolerance, drift, last_t, user_id, throttling_failure_count, throttling_failure_timestamp, created_at, last_used_at) FROM stdin;
1	phone	t	3132333435363738393031323334353637383930	30	0	6	1	0	-1	7	0	\N	2024-11-25 08:22:02.306138+00	\N
\.


--
-- Data for Name: socialaccount_socialaccount; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.socialaccount_socialaccount (id, provider, uid, last_login, date_joined, extra_data, user_id) FROM stdin;
1	google	10987654321	2024-11-25 08:22:02.312814+00	2024-11-25 08:22:02.312825+00	{"email": "soc@example.org", "email_verified": true}	8
\.


--
-- Name: account_emailaddress_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.account_emailaddress_id_seq', 12, true);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_id_seq', 12, true);


--
-- Name: mfa_authenticator_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.mfa_authenticator_id_seq', 2, true);


--
-- Name: otp_totp_totpdevice_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.otp_totp_totpdevice_id_seq', 1, true);


--
-- Name: socialaccount_socialaccount_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.socialaccount_socialaccount_id_seq', 1, true);


--
-- PostgreSQL database dump complete
--

\unrestrict cUIjJGJMt7ZTsDpLggymBu5Y2qqRQ78SLVEfuLta5Oqo8N6klVfoKGfQlcBMDak

