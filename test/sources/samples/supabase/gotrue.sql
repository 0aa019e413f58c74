--
-- PostgreSQL database dump
--

\restrict gOshHNS1FtAtyECJ7EjLzGnFO0u9bdOA7cTJ06rpi4nfWYydOJvV7OHUhAPcEur

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
-- Data for Name: users; Type: TABLE DATA; Schema: auth; Owner: postgres
--

COPY auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change, email_change_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, updated_at, phone, phone_confirmed_at, phone_change, phone_change_token, phone_change_sent_at, email_change_token_current, email_change_confirm_status, banned_until, reauthentication_token, reauthentication_sent_at, is_sso_user, deleted_at, is_anonymous) FROM stdin;
00000000-0000-0000-0000-000000000000	72f2a80e-1cb4-453c-a612-addf75915f43	authenticated	authenticated	sec@example.org	$2a$10$aSRpwlNidgI6RIEyxm3GFef9AnC9QiSivN6uo2zdOM0YSMdDHvdPK	2024-11-25 03:53:21.10407+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"], "stripe_key": "sk_live_4f9a8b7c6d5e4f3a2b1c0d9e"}	{"note": "hi", "password": "metasecret1", "email_verified": true}	\N	2024-11-25 03:53:21.084301+00	2024-11-25 03:53:21.105438+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	7a0b2824-cc3b-40ab-b689-e7ad961fb4e1	authenticated	authenticated	argon@example.org	$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc	2024-11-25 03:53:17.141791+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:17.124348+00	2024-11-25 03:53:17.145449+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	2f174173-dd79-4bdb-9f63-eec1fcfcecd5	authenticated	authenticated	ada@example.org	$2a$10$ZGVLc5v1g1keAxqFqRaqBe/SrYaBjXQCbD69Qi.MYeFOJ4uzADcIq	2024-11-25 03:53:11.954763+00	\N		\N		\N			\N	\N	{"plan": "pro", "provider": "email", "providers": ["email"]}	{"name": "Ada O'Neil \\"x\\" \\\\ y", "theme": "dark", "email_verified": true}	\N	2024-11-25 03:53:11.926624+00	2024-11-25 03:53:11.957116+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	66bdd246-f50f-49cc-b2a6-d7ba062229bb	authenticated	authenticated	bob@example.org	$2a$10$HWpn8X2CNC1zSwipcfg.3upR5WTWGNZPeAnZ1vR.FcyL19RPVTDCO	\N	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{}	\N	2024-11-25 03:53:12.976412+00	2024-11-25 03:53:12.993432+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	3a765333-ac76-4039-8b19-768f79cd4e11	authenticated	authenticated	banover@example.org	$2a$10$a5qQvC5G2evhm5Plz4CSk.XdZ9aL1xVUYS36LUSsA6mCcXK.DW5eS	2024-11-25 03:53:15.473742+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:15.4481+00	2024-11-25 03:53:15.480445+00	\N	\N			\N		0	2024-11-25 03:53:16.480168+00		\N	f	\N	f
00000000-0000-0000-0000-000000000000	8456ca60-1654-43d5-8c10-dd899696a6d4	authenticated	authenticated	uml@example.org	$2a$10$qGYPydft8tZ0zW9LEyefIey84338B9HeK9a3xHoIrqlKn/W4ytjy2	2024-11-25 03:53:13.473941+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:13.440409+00	2024-11-25 03:53:13.476941+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	bfee3f45-7330-4a77-847a-fbed2a4ef3e7	authenticated	authenticated	l6RsmLbBx_fqZvajAm5oNpM9KP2ZIE-I-6j4VdSq44s	\N	2024-11-25 03:53:18.107474+00	\N		\N		\N		DZEyZ7NPghGtmmRzx4yjMt9hswyGSsjvI6Ettbd0ecA	\N	\N	{}	{}	\N	2024-11-25 03:53:18.078426+00	2024-11-25 03:53:18.302881+00	DZEyZ7NPghGtmmR	\N	DZEyZ7NPghGtmmR		\N		0	\N		\N	f	2024-11-25 03:53:18.281589+00	f
00000000-0000-0000-0000-000000000000	901f80a3-550b-4a76-abf8-c0b24f9746b1	authenticated	authenticated	\N	$2a$10$qKk1m2fvbe7WU7RSe0coduvu5utxIg39QZECGy53KdLVA5Al02Cn.	\N	\N		\N		\N			\N	\N	{"provider": "phone", "providers": ["phone"]}	{}	\N	2024-11-25 03:53:17.655759+00	2024-11-25 03:53:17.670027+00	4915112345678	2024-11-25 03:53:17.669724+00			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	c4848378-086d-49e6-ac44-3641eeaaa796	authenticated	authenticated	end@example.org	$2a$10$GcoJKdnqIoxj9zO3XG16xuABL2bOQTiBrg7ezF3w32rsdzFwyJqLy	2024-11-25 03:53:14.005181+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:13.968692+00	2024-11-25 03:53:14.012724+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	a9588acd-d501-4bff-af89-cba146c09a33	authenticated	authenticated	nopw@example.org	$2a$10$wDEsvD6Mtz/62wDtD7lfPunTpNRdBod5pg.dMhb5/qzI/0QzrVoya	2024-11-25 03:53:16.188421+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:16.134617+00	2024-11-25 03:53:16.189658+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	07703477-ed0b-431f-be37-9b5b305cf2fa	authenticated	authenticated	long@example.org	$2a$10$C9ivikmLvuftPYUiZWLWfORiCfMlvwcIPwZHgju.Bps8dxgGnX4RG	2024-11-25 03:53:14.48006+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:14.470133+00	2024-11-25 03:53:14.481034+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	9ded7b5b-25c4-4a8a-986c-a40559d3ad77	authenticated	authenticated	caps@example.org	$2a$10$8vI0XS9CCqUzCuSZxRbRdOS4x2BCdhc/wbz5H1igVcBj4ZxtbcxnO	2024-11-25 03:53:16.866441+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:16.839405+00	2024-11-25 03:53:16.870108+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	c780893e-4cc1-43e8-b418-8ae8d5b134e7	authenticated	authenticated	ban@example.org	$2a$10$8z1q12PR8JKwybC3Gbwr9u56SCucUvy/t49RcyGQRL3M74pnvtJom	2024-11-25 03:53:14.917297+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:14.893232+00	2024-11-25 03:53:14.924192+00	\N	\N			\N		0	2126-11-25 03:53:14.923925+00		\N	f	\N	f
00000000-0000-0000-0000-000000000000	26d6304e-e316-4e51-b153-c99cdc14a1a9	authenticated	authenticated	\N		\N	\N		\N		\N			\N	2024-11-25 03:53:17.699006+00	{}	{}	\N	2024-11-25 03:53:17.686203+00	2024-11-25 03:53:17.713779+00	\N	\N			\N		0	\N		\N	f	\N	t
00000000-0000-0000-0000-000000000000	248dc9fb-7fe1-4dcc-95b4-758adbda2d2b	authenticated	authenticated	hash@example.org	$2y$10$EkVBmTI0cbPvPdnTYeVk8eIt6qpHk09C8DB5iZwHbYBu5ot2PyAnq	2024-11-25 03:53:17.012769+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:16.996118+00	2024-11-25 03:53:17.01593+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	278381b6-e387-4775-8eb4-68383f7c84ef	authenticated	authenticated	soc@example.org	\N	2024-11-25 03:53:22.264706+00	\N	\N	\N	\N	\N	\N	\N	\N	\N	{"provider": "google", "providers": ["google"]}	{"provider_token": "ya29.a0AfH6SMBx"}	\N	2024-11-25 03:53:22.264706+00	\N	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	2d512293-a64a-4af0-81db-445612f06c26	authenticated	authenticated	ada@example.org	\N	2024-11-25 03:53:22.273462+00	\N	\N	\N	\N	\N	\N	\N	\N	\N	{"provider": "sso:9a1", "providers": ["sso:9a1"]}	{}	\N	2024-11-25 03:53:22.273462+00	\N	\N	\N			\N		0	\N		\N	t	\N	f
00000000-0000-0000-0000-000000000000	21ccd8d9-72c1-49b3-b30f-32a89a45ce98	authenticated	authenticated	reset@example.org	$2a$10$oJdnaGPgU5wfqwQddtdt6uXW59zEBc2uoQwhyzXtrhG5YZHNogqE6	2024-11-25 03:53:20.585795+00	\N		\N	5d0edba43f4916034421b81432546c9b0d1d5297df7955122a36bc96	2024-11-25 03:53:20.745881+00			\N	\N	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:20.557373+00	2024-11-25 03:53:20.746269+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	44770bc1-92e1-4460-89ff-928829cc3280	authenticated	authenticated	totp@example.org	$2a$10$52WulhnoyueC6j/a0kqqk.PDDM0d5F6ny6l9q4Fbz.qe1vewv.yD6	2024-11-25 03:53:18.84152+00	\N		\N		\N			\N	2024-11-25 03:53:19.47731+00	{"provider": "email", "providers": ["email"]}	{"email_verified": true}	\N	2024-11-25 03:53:18.822627+00	2024-11-25 03:53:20.14644+00	\N	\N			\N		0	\N		\N	f	\N	f
\.


--
-- Data for Name: identities; Type: TABLE DATA; Schema: auth; Owner: postgres
--

COPY auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id) FROM stdin;
2f174173-dd79-4bdb-9f63-eec1fcfcecd5	2f174173-dd79-4bdb-9f63-eec1fcfcecd5	{"sub": "2f174173-dd79-4bdb-9f63-eec1fcfcecd5", "email": "ada@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:11.94064+00	2024-11-25 03:53:11.940732+00	2024-11-25 03:53:11.940732+00	fef6f1a6-32cc-4323-bc79-59f5993cea85
66bdd246-f50f-49cc-b2a6-d7ba062229bb	66bdd246-f50f-49cc-b2a6-d7ba062229bb	{"sub": "66bdd246-f50f-49cc-b2a6-d7ba062229bb", "email": "bob@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:12.985812+00	2024-11-25 03:53:12.985866+00	2024-11-25 03:53:12.985866+00	ac38c6c0-30d2-404e-9f4c-d6b2e0fd58e5
8456ca60-1654-43d5-8c10-dd899696a6d4	8456ca60-1654-43d5-8c10-dd899696a6d4	{"sub": "8456ca60-1654-43d5-8c10-dd899696a6d4", "email": "uml@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:13.457471+00	2024-11-25 03:53:13.457658+00	2024-11-25 03:53:13.457658+00	f0da789e-3627-4dbb-bca6-fdbe4a38273f
c4848378-086d-49e6-ac44-3641eeaaa796	c4848378-086d-49e6-ac44-3641eeaaa796	{"sub": "c4848378-086d-49e6-ac44-3641eeaaa796", "email": "end@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:13.990097+00	2024-11-25 03:53:13.99018+00	2024-11-25 03:53:13.99018+00	0b4cfd0f-9f36-4e7d-b3c1-ee98f703ca34
07703477-ed0b-431f-be37-9b5b305cf2fa	07703477-ed0b-431f-be37-9b5b305cf2fa	{"sub": "07703477-ed0b-431f-be37-9b5b305cf2fa", "email": "long@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:14.47326+00	2024-11-25 03:53:14.473313+00	2024-11-25 03:53:14.473313+00	cb2b31ec-0a1b-46ed-82b6-c42182c9e3e9
c780893e-4cc1-43e8-b418-8ae8d5b134e7	c780893e-4cc1-43e8-b418-8ae8d5b134e7	{"sub": "c780893e-4cc1-43e8-b418-8ae8d5b134e7", "email": "ban@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:14.902594+00	2024-11-25 03:53:14.902651+00	2024-11-25 03:53:14.902651+00	0a381913-f017-4192-82f5-2d5a25f00402
3a765333-ac76-4039-8b19-768f79cd4e11	3a765333-ac76-4039-8b19-768f79cd4e11	{"sub": "3a765333-ac76-4039-8b19-768f79cd4e11", "email": "banover@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:15.46362+00	2024-11-25 03:53:15.463671+00	2024-11-25 03:53:15.463671+00	d60f18c8-0ad9-4b94-a783-d57267969349
a9588acd-d501-4bff-af89-cba146c09a33	a9588acd-d501-4bff-af89-cba146c09a33	{"sub": "a9588acd-d501-4bff-af89-cba146c09a33", "email": "nopw@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:16.156534+00	2024-11-25 03:53:16.156655+00	2024-11-25 03:53:16.156655+00	70898d48-9f08-4cc7-87ae-6fab60699db0
9ded7b5b-25c4-4a8a-986c-a40559d3ad77	9ded7b5b-25c4-4a8a-986c-a40559d3ad77	{"sub": "9ded7b5b-25c4-4a8a-986c-a40559d3ad77", "email": "caps@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:16.852988+00	2024-11-25 03:53:16.853111+00	2024-11-25 03:53:16.853111+00	0c191900-1549-41e2-9631-e7b47163322a
248dc9fb-7fe1-4dcc-95b4-758adbda2d2b	248dc9fb-7fe1-4dcc-95b4-758adbda2d2b	{"sub": "248dc9fb-7fe1-4dcc-95b4-758adbda2d2b", "email": "hash@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:17.001534+00	2024-11-25 03:53:17.00159+00	2024-11-25 03:53:17.00159+00	88289824-357d-458f-95ad-a4315ee6e505
7a0b2824-cc3b-40ab-b689-e7ad961fb4e1	7a0b2824-cc3b-40ab-b689-e7ad961fb4e1	{"sub": "7a0b2824-cc3b-40ab-b689-e7ad961fb4e1", "email": "argon@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:17.13627+00	2024-11-25 03:53:17.136338+00	2024-11-25 03:53:17.136338+00	c6461acb-10fe-4cee-b339-7c06b8be2ea1
901f80a3-550b-4a76-abf8-c0b24f9746b1	901f80a3-550b-4a76-abf8-c0b24f9746b1	{"sub": "901f80a3-550b-4a76-abf8-c0b24f9746b1", "phone": "4915112345678", "email_verified": false, "phone_verified": false}	phone	2024-11-25 03:53:17.66274+00	2024-11-25 03:53:17.662819+00	2024-11-25 03:53:17.662819+00	27176c6b-4ba3-47f9-8752-f2c3df2c43ee
daWT0lhJBKrbkvfQnUDBGhmyJH0w4TqUEaPjfPYE2Yc	bfee3f45-7330-4a77-847a-fbed2a4ef3e7	{}	email	2024-11-25 03:53:18.085432+00	2024-11-25 03:53:18.085493+00	2024-11-25 03:53:18.085493+00	1a472f30-a962-4f93-8d53-78892e9c353e
44770bc1-92e1-4460-89ff-928829cc3280	44770bc1-92e1-4460-89ff-928829cc3280	{"sub": "44770bc1-92e1-4460-89ff-928829cc3280", "email": "totp@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:18.830256+00	2024-11-25 03:53:18.830315+00	2024-11-25 03:53:18.830315+00	50bff926-aaf2-4893-b73d-19c387265ce8
21ccd8d9-72c1-49b3-b30f-32a89a45ce98	21ccd8d9-72c1-49b3-b30f-32a89a45ce98	{"sub": "21ccd8d9-72c1-49b3-b30f-32a89a45ce98", "email": "reset@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:20.56774+00	2024-11-25 03:53:20.567812+00	2024-11-25 03:53:20.567812+00	b322cee7-072a-4212-bb4f-32d940fc01f2
72f2a80e-1cb4-453c-a612-addf75915f43	72f2a80e-1cb4-453c-a612-addf75915f43	{"sub": "72f2a80e-1cb4-453c-a612-addf75915f43", "email": "sec@example.org", "email_verified": false, "phone_verified": false}	email	2024-11-25 03:53:21.090155+00	2024-11-25 03:53:21.090197+00	2024-11-25 03:53:21.090197+00	63d32138-d290-48e4-95bc-18deafcd8c81
108455	278381b6-e387-4775-8eb4-68383f7c84ef	{"sub": "108455", "email": "soc@example.org", "email_verified": true}	google	2024-11-25 03:53:22.264706+00	2024-11-25 03:53:22.264706+00	2024-11-25 03:53:22.264706+00	2d654642-1ded-4e8e-8af8-9402e500684e
ada	2d512293-a64a-4af0-81db-445612f06c26	{"sub": "ada", "email": "ada@example.org"}	sso:9a1	2024-11-25 03:53:22.273462+00	2024-11-25 03:53:22.273462+00	2024-11-25 03:53:22.273462+00	54ea3fd5-cf06-4f5a-b427-9b079773c954
\.


--
-- Data for Name: mfa_factors; Type: TABLE DATA; Schema: auth; Owner: postgres
--

COPY auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone, last_challenged_at, web_authn_credential, web_authn_aaguid, last_webauthn_challenge_data) FROM stdin;
904d72a1-3173-4ffe-8b63-d096adb51923	44770bc1-92e1-4460-89ff-928829cc3280	x	totp	verified	2024-11-25 03:53:19.682386+00	2024-11-25 03:53:20.120272+00	P7OEZXXDCZMUR6DO6JSDOVH7Y5NZ5I4A	\N	2024-11-25 03:53:19.880993+00	\N	\N	\N
\.


--
-- PostgreSQL database dump complete
--

\unrestrict gOshHNS1FtAtyECJ7EjLzGnFO0u9bdOA7cTJ06rpi4nfWYydOJvV7OHUhAPcEur

