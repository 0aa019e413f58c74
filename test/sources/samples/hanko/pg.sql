--
-- PostgreSQL database dump
--

\restrict jMAUA2pJerp4w5flRe08o5WujsKkSy4DiXv3BO0qsj6KoDDYa0gNfIUnwLpFgnH

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
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.users (id, created_at, updated_at, name, family_name, given_name, picture, tenant_id) FROM stdin;
79e162c4-6d25-4f36-a0a4-2557c465f930	2025-03-04 05:06:07.89	2026-11-23 17:28:19.014304	Ada "Countess" Lovelace	\N	Ada	\N	00000000-0000-0000-0000-000000000001
70d280bd-4eab-402c-bd5d-0cde5f792130	2025-03-04 05:06:07.89	2026-11-23 17:28:21.32605	Miles O'Brien	\N	\N	\N	00000000-0000-0000-0000-000000000001
5ba568de-d14a-4fc1-ab77-0ff61fac2b84	2025-03-04 05:06:07.89	2026-11-23 17:28:21.385571	\N	\N	\N	\N	00000000-0000-0000-0000-000000000001
e069f6e6-dc0b-4d9f-8561-ad65114f9762	2025-03-04 05:06:07.89	2026-11-23 17:28:24.257291	\N	\N	\N	\N	00000000-0000-0000-0000-000000000001
2e8f6d64-f570-4a06-b69b-2fdbcc2df019	2025-03-04 05:06:07.89	2026-11-23 17:28:24.343753	\N	\N	\N	\N	00000000-0000-0000-0000-000000000001
7b62f905-d562-478c-ae94-437d6b91a06c	2025-03-04 05:06:07.89	2026-11-23 17:28:24.543834	\N	\N	\N	\N	00000000-0000-0000-0000-000000000001
7b0d2d2c-1111-4a2b-9d1e-000000000001	2024-02-03 04:05:06	2026-11-23 17:28:46.59413	\N	\N	\N	\N	00000000-0000-0000-0000-000000000001
7b0d2d2c-1111-4a2b-9d1e-000000000002	2024-02-03 04:05:06	2026-11-23 17:28:46.692726	\N	\N	\N	\N	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: emails; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.emails (id, user_id, address, verified, created_at, updated_at, tenant_id) FROM stdin;
11f42845-e1de-44bc-9f35-d65fa9398244	79e162c4-6d25-4f36-a0a4-2557c465f930	ada@example.org	t	2026-11-23 17:28:17.590108	2026-11-23 17:28:17.590312	00000000-0000-0000-0000-000000000001
94c0e94e-f7c6-4baf-babb-d18fca05d98b	79e162c4-6d25-4f36-a0a4-2557c465f930	ada@second.example	f	2026-11-23 17:28:17.590108	2026-11-23 17:28:17.623279	00000000-0000-0000-0000-000000000001
02ceac2b-d76f-45a3-83fc-82190f786f31	70d280bd-4eab-402c-bd5d-0cde5f792130	o'brien@example.org	f	2026-11-23 17:28:19.111707	2026-11-23 17:28:19.1118	00000000-0000-0000-0000-000000000001
9f2b9556-a748-47f9-83c6-c203af8dd88c	5ba568de-d14a-4fc1-ab77-0ff61fac2b84	zoe@example.org	t	2026-11-23 17:28:21.407512	2026-11-23 17:28:21.407644	00000000-0000-0000-0000-000000000001
4deee2d8-29ad-4bb6-b3d2-4f21e60d020f	5ba568de-d14a-4fc1-ab77-0ff61fac2b84	zoe.main@example.org	t	2026-11-23 17:28:21.407512	2026-11-23 17:28:21.417795	00000000-0000-0000-0000-000000000001
b3c0060a-fc2c-4866-9713-1782132c415c	e069f6e6-dc0b-4d9f-8561-ad65114f9762	passkey@example.org	t	2026-11-23 17:28:24.257919	2026-11-23 17:28:24.258009	00000000-0000-0000-0000-000000000001
f4c6a01f-dfb2-4503-8889-e046893766b5	2e8f6d64-f570-4a06-b69b-2fdbcc2df019	katherine@example.org	t	2026-11-23 17:28:24.358279	2026-11-23 17:28:24.358419	00000000-0000-0000-0000-000000000001
e320949a-b663-40c6-943e-5037c8cedb03	7b0d2d2c-1111-4a2b-9d1e-000000000001	grace@example.org	t	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.601437	00000000-0000-0000-0000-000000000001
e1f73c81-f4cb-4a29-8d3f-83f888675d57	7b0d2d2c-1111-4a2b-9d1e-000000000002	emile@example.org	t	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.696144	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.identities (id, provider_user_id, provider_id, data, email_id, created_at, updated_at, user_id, tenant_id) FROM stdin;
0e24ff14-e181-4c71-815d-c06d701c6712	10769150350006150715113082367	google	{"sub": "1076", "email": "katherine@example.org", "access_token": "ya29.secret", "email_verified": true}	f4c6a01f-dfb2-4503-8889-e046893766b5	2026-11-23 17:28:50.009773	2026-11-23 17:28:50.009773	2e8f6d64-f570-4a06-b69b-2fdbcc2df019	00000000-0000-0000-0000-000000000001
030eca45-4626-406e-93d1-0742162d8ff0	ada-at-corp	https://idp.corp.example/saml	{"email": "ada@example.org"}	11f42845-e1de-44bc-9f35-d65fa9398244	2026-11-23 17:28:50.009773	2026-11-23 17:28:50.009773	79e162c4-6d25-4f36-a0a4-2557c465f930	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: otp_secrets; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.otp_secrets (id, user_id, secret, created_at, updated_at, tenant_id, last_validated_step) FROM stdin;
290d93e9-3502-4873-8faf-6caa34ab5b7b	7b0d2d2c-1111-4a2b-9d1e-000000000001	JBSWY3DPEHPK3PXP	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.682309	00000000-0000-0000-0000-000000000001	\N
\.


--
-- Data for Name: password_credentials; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.password_credentials (id, user_id, password, created_at, updated_at, tenant_id) FROM stdin;
f21362e7-169b-4184-8ce4-74aa2975301b	79e162c4-6d25-4f36-a0a4-2557c465f930	$2a$12$RFGqY1FMuik8A553Oh0GS.jVztvYtz/u/2ZwxqrRi/XlujSgBRQ/a	2026-11-23 17:28:18.960509	2026-11-23 17:28:18.963617	00000000-0000-0000-0000-000000000001
7933f49f-ad6b-4946-965f-6547115ee83a	70d280bd-4eab-402c-bd5d-0cde5f792130	$2a$12$fzBBD7OYp/lXbLxBVXGzvuB3ruqnqtHo/2MQFsr1u2a3eqjeZxUJ.	2026-11-23 17:28:21.257651	2026-11-23 17:28:21.258167	00000000-0000-0000-0000-000000000001
1d4812ce-fcb1-47fd-83e1-54e64c390cdd	5ba568de-d14a-4fc1-ab77-0ff61fac2b84	$2a$12$2DXwn1HJcOMCWtEERHFadOqmIm.kVXGyABLTueL.18JDj1sONtpLG	2026-11-23 17:28:24.183273	2026-11-23 17:28:24.209362	00000000-0000-0000-0000-000000000001
7c2ac189-df35-479f-8182-edbd30815574	7b62f905-d562-478c-ae94-437d6b91a06c	$2a$12$B.p6EPyDIKQEjaREFb8X.OXI77FhOuYRRrFfeXmXaPFuP.KzcDwNi	2026-11-23 17:28:26.732714	2026-11-23 17:28:26.743117	00000000-0000-0000-0000-000000000001
39d00f90-7dc1-4527-ad80-84cb4a80be1b	7b0d2d2c-1111-4a2b-9d1e-000000000001	$2a$04$hovRlTTdZpBIT1tigizW1OlulC0Na0IYyfER1T97UeCZuAidLz7U6	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.660032	00000000-0000-0000-0000-000000000001
9de54be6-f1e6-4ea8-9d04-c5888212b14b	7b0d2d2c-1111-4a2b-9d1e-000000000002	$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=1fHlO3yi4Gx6rNwbRKfAqtGe2faQciAWRtCr1fAU/JUi5h20pwCyas42QZXqCpa4lERDqJMSAOh4rMsAK4xGvA==$5yO33Dq8GfSqQg==$ThX/tNIG16f2zpXpmVJg/Xooz73VwH6BxVvXJwYWLrCyDGy4zoOemdFJJcM918+WbOwA3ukFIALuXjetnrT53Q==	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.697771	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: primary_emails; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.primary_emails (id, email_id, user_id, created_at, updated_at, tenant_id) FROM stdin;
0210f6c6-d2b1-4beb-a3da-0440d5386b50	11f42845-e1de-44bc-9f35-d65fa9398244	79e162c4-6d25-4f36-a0a4-2557c465f930	2026-11-23 17:28:17.593131	2026-11-23 17:28:17.593131	00000000-0000-0000-0000-000000000001
1f63132a-d04f-49e8-bece-afacaed0ffe7	02ceac2b-d76f-45a3-83fc-82190f786f31	70d280bd-4eab-402c-bd5d-0cde5f792130	2026-11-23 17:28:19.112335	2026-11-23 17:28:19.112335	00000000-0000-0000-0000-000000000001
dc9cfb1b-c0b8-48b7-8dd0-c52063385a59	4deee2d8-29ad-4bb6-b3d2-4f21e60d020f	5ba568de-d14a-4fc1-ab77-0ff61fac2b84	2026-11-23 17:28:21.431976	2026-11-23 17:28:21.431976	00000000-0000-0000-0000-000000000001
c9a7752b-3eec-475c-83e5-30cc242e46d7	b3c0060a-fc2c-4866-9713-1782132c415c	e069f6e6-dc0b-4d9f-8561-ad65114f9762	2026-11-23 17:28:24.259835	2026-11-23 17:28:24.259835	00000000-0000-0000-0000-000000000001
c896a918-18fc-47ee-aea7-6506e92d2703	f4c6a01f-dfb2-4503-8889-e046893766b5	2e8f6d64-f570-4a06-b69b-2fdbcc2df019	2026-11-23 17:28:24.359115	2026-11-23 17:28:24.359115	00000000-0000-0000-0000-000000000001
57ce1c5b-9c5b-4d87-a819-af92d1d2e888	e320949a-b663-40c6-943e-5037c8cedb03	7b0d2d2c-1111-4a2b-9d1e-000000000001	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.62162	00000000-0000-0000-0000-000000000001
fd1e3732-f995-4b0d-9e79-6b40f4c1f3f3	e1f73c81-f4cb-4a29-8d3f-83f888675d57	7b0d2d2c-1111-4a2b-9d1e-000000000002	2026-11-23 17:28:46.593867	2026-11-23 17:28:46.697082	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: saml_identities; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.saml_identities (id, identity_id, domain, created_at, updated_at, tenant_id) FROM stdin;
5e371dda-b625-48ba-868a-84b610dd8c7c	030eca45-4626-406e-93d1-0742162d8ff0	corp.example	2026-11-23 17:28:50.009773	2026-11-23 17:28:50.009773	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: user_metadata; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.user_metadata (id, user_id, public_metadata, private_metadata, unsafe_metadata, created_at, updated_at, tenant_id) FROM stdin;
10f17323-76a5-48b0-9286-432423713759	79e162c4-6d25-4f36-a0a4-2557c465f930	{"plan":"pro","it's":"\\u00e9"}	{"note":"back\\\\slash"}	\N	2026-11-23 17:28:18.968439	2026-11-23 17:28:18.969744	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: usernames; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.usernames (id, user_id, username, created_at, updated_at, tenant_id) FROM stdin;
94bc5de8-65a8-427f-b8f1-76aebfc1133b	5ba568de-d14a-4fc1-ab77-0ff61fac2b84	zoë	2026-11-23 17:28:21.450856	2026-11-23 17:28:21.450973	00000000-0000-0000-0000-000000000001
0ea62b71-d858-419d-b4ff-667ac43dbda5	7b62f905-d562-478c-ae94-437d6b91a06c	nobody	2026-11-23 17:28:24.544301	2026-11-23 17:28:24.544344	00000000-0000-0000-0000-000000000001
\.


--
-- Data for Name: webauthn_credentials; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.webauthn_credentials (id, user_id, public_key, attestation_type, aaguid, sign_count, created_at, updated_at, name, backup_eligible, backup_state, last_used_at, mfa_only, user_handle_id, tenant_id) FROM stdin;
\.


--
-- PostgreSQL database dump complete
--

\unrestrict jMAUA2pJerp4w5flRe08o5WujsKkSy4DiXv3BO0qsj6KoDDYa0gNfIUnwLpFgnH

