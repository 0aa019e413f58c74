--
-- PostgreSQL database dump
--

\restrict nkdSErWt7A8UVwhtyjApKBVkCA4f47YHe22NhCIh78m9UkadkDnAlSssUY3LOaJ

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
-- Data for Name: up_users; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.up_users (id, document_id, username, email, provider, password, reset_password_token, confirmation_token, confirmed, blocked, created_at, updated_at, published_at, created_by_id, updated_by_id, locale) FROM stdin;
1	l7zexk0zoa4pvqpprewfvazl	ada	ada@example.org	local	$2a$10$8KVOlMOELaDoQ2eeXDJyYOW8e2qqOw1aBi2lpamDwXewxszQDzTca	\N	\N	t	f	2024-11-25 04:12:17.353	2024-11-25 04:12:17.353	2024-11-25 04:12:15.996	\N	\N	\N
2	y6l9its01cppqgyu4ebf9iv8	O'Neil "x" \\	bob@example.org	local	$2a$10$xN1rLg0/6TMZe14.c5nCkOlTm/CAfYUAagihtnmYiqDqIRmt1Iina	\N	\N	f	f	2024-11-25 04:12:18.018	2024-11-25 04:12:18.018	2024-11-25 04:12:17.409	\N	\N	\N
3	apreod8e1j8jnozcec7u040c	uml	uml@example.org	local	$2a$10$36FEMwrkjgncByXcUtiObOq9/DiPA7jd0S4l8lblo9z1ELE7kjPn6	\N	\N	t	f	2024-11-25 04:12:18.574	2024-11-25 04:12:18.574	2024-11-25 04:12:18.147	\N	\N	\N
4	f5b3w75fs77f9jjy0s06ga83	end	end@example.org	local	$2a$10$ZGqL6gnxHqehwwFakrzqo.bby.12NbZ8noB6Mwpzyiy7Gndnu5/Oq	\N	\N	t	f	2024-11-25 04:12:18.977	2024-11-25 04:12:18.977	2024-11-25 04:12:18.623	\N	\N	\N
5	hhqe8t51hmkhnb9mo1g7o5qo	long	long@example.org	local	$2a$10$np6YnBOqHQO3fAyLM75ocuF/UE85T58W/dww55dB5cCyLqf4ad8JW	\N	\N	t	f	2024-11-25 04:12:19.237	2024-11-25 04:12:19.237	2024-11-25 04:12:19.001	\N	\N	\N
6	ad85mj0tsacvk6jlaksy67w5	ban	ban@example.org	local	$2a$10$Fy8w6FO/qkw22yqVhNKTRumlJ9L28tChX0dpe1f41DkKxFSTKIMgS	\N	\N	t	t	2024-11-25 04:12:19.455	2024-11-25 04:12:19.455	2024-11-25 04:12:19.258	\N	\N	\N
7	vib6g4q0lhlww528ntdxi8tr	nopw	nopw@example.org	local	\N	\N	\N	t	f	2024-11-25 04:12:19.513	2024-11-25 04:12:19.513	2024-11-25 04:12:19.496	\N	\N	\N
8	s19bsoxk5n1ftbkpm7m4uioj	soc	soc@example.org	google	\N	\N	\N	t	f	2024-11-25 04:12:19.549	2024-11-25 04:12:19.549	2024-11-25 04:12:19.53	\N	\N	\N
9	d14t2dk6n9nan00k65k3y822	reset	reset@example.org	local	$2a$10$vm7fCqKdQB6rcOGaPBoFm.u.ICn16DJHaP5wrObDMOEA6m85.6Tma	dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd	\N	t	f	2024-11-25 04:12:19.876	2024-11-25 04:12:19.876	2024-11-25 04:12:19.587	\N	\N	\N
10	xz3rdi35rw21byt8vyk96jhj	conf	conf@example.org	local	$2a$10$Vr8K.EoJGu4iu/fuG8O2uOK6zHCtIxRsnrR3e.7lLHgA9ogsW1FWC	\N	a1b2c3d4e5f60718293a4b5c6d7e8f9001122334	f	f	2024-11-25 04:12:20.185	2024-11-25 04:12:20.185	2024-11-25 04:12:19.9	\N	\N	\N
11	xcrov2pdf0m9pdmadpszxzrt	dup	ADA@example.org	local	$2a$10$YtFYuMKEmDpazI3cISt78O/pOitYpLzaJJ1kKmK.83w1.CfhAwSq6	\N	\N	t	f	2024-11-25 04:12:20.459	2024-11-25 04:12:20.459	2024-11-25 04:12:20.203	\N	\N	\N
\.


--
-- Name: up_users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.up_users_id_seq', 11, true);


--
-- PostgreSQL database dump complete
--

\unrestrict nkdSErWt7A8UVwhtyjApKBVkCA4f47YHe22NhCIh78m9UkadkDnAlSssUY3LOaJ

