--
-- PostgreSQL database dump
--

-- Dumped from database version 15.13
-- Dumped by pg_dump version 15.13

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;

--
-- Data for Name: administrator; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.administrator ("createdAt", "updatedAt", "deletedAt", "firstName", "lastName", "emailAddress", id, "userId") FROM stdin;
2024-11-27 15:54:57.141034	2024-11-27 15:54:57.141034	\N	Super	Admin	superadmin	1	1
2024-11-27 15:55:06.724717	2024-11-27 15:55:06.724717	\N	St	Aff	staff@vendure.example	2	12
\.


--
-- Data for Name: authentication_method; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.authentication_method ("createdAt", "updatedAt", identifier, "passwordHash", "verificationToken", "passwordResetToken", "identifierChangeToken", "pendingIdentifier", strategy, "externalIdentifier", metadata, id, type, "userId") FROM stdin;
2024-11-27 15:54:57.133789	2024-11-27 15:54:57.136955	superadmin	$2b$04$mZNG8ew0e.wi9bpjDDcDOegbbuKPDw3datl2sV/2U80j840V6zK/e	\N	\N	\N	\N	\N	\N	\N	1	NativeAuthenticationMethod	1
2024-11-27 15:55:04.091087	2024-11-27 15:55:04.899114	gone2@vendure.example	$2b$04$hoxi.AbaDN9k7pvtHFAzc.4oA08Myrj8c/npeFXsw78hapRTa4MaK	\N	\N	\N	\N	\N	\N	\N	8	NativeAuthenticationMethod	8
2024-11-27 15:54:58.309998	2024-11-27 15:54:59.036649	ada@vendure.example	$2b$04$mqwBNZegGgAyt2ZfW/kR4O4UWeAvO2Bzv4OIcNnaY3eUvnsaF7RLy	\N	\N	\N	\N	\N	\N	\N	2	NativeAuthenticationMethod	2
2024-11-27 15:54:59.099304	2024-11-27 15:54:59.82634	uni@vendure.example	$2b$04$r8gAvTuvDuZx5UANZG9Zcu2kqUWVYMUlgl9owWKgCTXhQ6mE0kLzC	\N	\N	\N	\N	\N	\N	\N	3	NativeAuthenticationMethod	3
2024-11-27 15:54:59.952093	2024-11-27 15:55:00.827024	long@vendure.example	$2b$04$pl/bI3XokepNSUyD8kbMfehUxzhhu3Xi6BDyXfolXxh5p8IjePcoe	\N	\N	\N	\N	\N	\N	\N	4	NativeAuthenticationMethod	4
2024-11-27 15:55:05.065149	2024-11-27 15:55:05.79934	gone2@vendure.example	$2b$04$QnCfIbE1FDpfwrjfg/awNe/g.QedCzMk/FkebX8qC7bZvFD5MvUau	\N	\N	\N	\N	\N	\N	\N	9	NativeAuthenticationMethod	9
2024-11-27 15:55:00.932524	2024-11-27 15:55:00.932524	unver@vendure.example	$2b$04$goDTsFoG7FDLgnCIi1u7vuqgyysy6xmCshYF62iU7Da7veHJuQ/hS	MjAyNi0xMS0yN1QxNTo1NTowMS40ODFa_UPF5Q8JVFMVW2B4X	\N	\N	\N	\N	\N	\N	5	NativeAuthenticationMethod	5
2024-11-27 15:55:01.660136	2024-11-27 15:55:02.484105	gone@vendure.example	$2b$04$vfjCotwYH4HpYGuLseAWiehOcnDs52zbg3yAbCk/rbEQLAGy9INu6	\N	\N	\N	\N	\N	\N	\N	6	NativeAuthenticationMethod	6
2024-11-27 15:55:06.069959	2024-11-27 15:55:06.101181	guest@vendure.example		MjAyNi0xMS0yN1QxNTo1NTowNi4wNjla_N9S4QJ1P5AHTYFY8	\N	\N	\N	\N	\N	\N	10	NativeAuthenticationMethod	10
2024-11-27 15:55:06.201151	2024-11-27 15:55:06.20874	\N	\N	\N	\N	\N	\N	google	104356712345678901234	\N	11	ExternalAuthenticationMethod	11
2024-11-27 15:55:02.660424	2024-11-27 15:55:03.971755	reset@vendure.example	$2b$04$laKzaMFnkl9BG.WrKNX.sObx5vMC8zTYvDqUGExZLM0uESmlADMpu	\N	MjAyNi0xMS0yN1QxNTo1NTowMy45OTha_7BBERNX9LEH65VB2	\N	\N	\N	\N	\N	7	NativeAuthenticationMethod	7
2024-11-27 15:55:06.720824	2024-11-27 15:55:06.723238	staff@vendure.example	$2b$04$aUY1fvxueKlaZWoaxb/uwOH8/dLIkbM68aMG8zckNjULRDNv6lMGe	\N	\N	\N	\N	\N	\N	\N	12	NativeAuthenticationMethod	12
\.


--
-- Data for Name: customer; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.customer ("createdAt", "updatedAt", "deletedAt", title, "firstName", "lastName", "phoneNumber", "emailAddress", id, "userId") FROM stdin;
2024-11-27 15:54:58.309998	2024-11-27 15:54:58.309998	\N		Ada	Lovelace		ada@vendure.example	1	2
2024-11-27 15:54:59.099304	2024-11-27 15:54:59.099304	\N		Zoë	Müller-Ångström		uni@vendure.example	2	3
2024-11-27 15:54:59.952093	2024-11-27 15:54:59.952093	\N		Lo	Ng		long@vendure.example	3	4
2024-11-27 15:55:00.932524	2024-11-27 15:55:00.932524	\N		Un	Verified		unver@vendure.example	4	5
2024-11-27 15:55:02.660424	2024-11-27 15:55:02.660424	\N		Re	Set		reset@vendure.example	6	7
2024-11-27 15:55:01.660136	2024-11-27 15:55:04.044167	2024-11-27 15:55:04.042		Go	Ne		gone@vendure.example	5	6
2024-11-27 15:55:04.091087	2024-11-27 15:55:05.034348	2024-11-27 15:55:05.033		Go	Ne		gone2@vendure.example	7	8
2024-11-27 15:55:05.065149	2024-11-27 15:55:05.065149	\N		Back	Again		gone2@vendure.example	8	9
2024-11-27 15:55:06.138205	2024-11-27 15:55:06.138205	\N	\N	Gu	Est	\N	guest@vendure.example	9	10
2024-11-27 15:55:06.217816	2024-11-27 15:55:06.217816	\N	\N	So	Cial	\N	social@vendure.example	10	11
\.


--
-- Data for Name: user; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."user" ("createdAt", "updatedAt", "deletedAt", identifier, verified, "lastLogin", id) FROM stdin;
2024-11-27 15:54:57.136955	2024-11-27 15:54:57.136955	\N	superadmin	t	\N	1
2024-11-27 15:54:59.099304	2024-11-27 15:54:59.82634	\N	uni@vendure.example	t	2024-11-27 15:54:59.889	3
2024-11-27 15:54:59.952093	2024-11-27 15:55:00.827024	\N	long@vendure.example	t	2024-11-27 15:55:00.894	4
2024-11-27 15:55:00.932524	2024-11-27 15:55:00.932524	\N	unver@vendure.example	f	\N	5
2024-11-27 15:55:01.660136	2024-11-27 15:55:04.06398	2024-11-27 15:55:04.063	gone@vendure.example	t	2024-11-27 15:55:02.598	6
2024-11-27 15:55:04.091087	2024-11-27 15:55:05.052066	2024-11-27 15:55:05.051	gone2@vendure.example	t	2024-11-27 15:55:04.961	8
2024-11-27 15:55:06.101181	2024-11-27 15:55:06.101181	\N	guest@vendure.example	f	\N	10
2024-11-27 15:55:06.20874	2024-11-27 15:55:06.20874	\N	social@vendure.example	t	\N	11
2024-11-27 15:55:06.723238	2024-11-27 15:55:06.723238	\N	staff@vendure.example	t	\N	12
2024-11-27 15:54:58.309998	2024-11-27 15:55:06.733589	\N	ada@vendure.example	t	2024-11-27 15:55:07.041	2
2024-11-27 15:55:05.065149	2024-11-27 15:55:08.279999	\N	gone2@vendure.example	t	2024-11-27 15:55:08.685	9
2024-11-27 15:55:02.660424	2024-11-27 15:55:09.17015	\N	reset@vendure.example	t	2024-11-27 15:55:09.585	7
\.


--
-- Data for Name: user_roles_role; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.user_roles_role ("userId", "roleId") FROM stdin;
1	1
2	2
3	2
4	2
5	2
6	2
7	2
8	2
9	2
10	2
11	2
\.


--
-- PostgreSQL database dump complete
--

