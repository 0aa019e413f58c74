--
-- PostgreSQL database dump
--

\restrict SnQ5RJbbYFzouqYuMdJsdYgln8kRt7HuqvrQ5OShLxEHOkIn4EutsesaTjBklv0

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
-- Data for Name: organization; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.organization (owner, name, created_time, display_name, website_url, logo, logo_dark, favicon, has_privilege_consent, password_type, password_salt, password_options, password_obfuscator_type, password_obfuscator_key, password_expire_days, token_retention_days, record_retention_days, country_codes, default_avatar, use_permanent_avatar, default_application, default_token_format, user_types, tags, languages, theme_data, master_password, default_password, master_verification_code, ip_whitelist, init_score, enable_soft_deletion, is_profile_public, use_email_as_username, enable_tour, disable_signin, ip_restriction, nav_items, user_nav_items, widget_items, mfa_items, mfa_remember_in_hours, account_menu, account_items, dcr_policy, ldap_attributes, kerberos_realm, kerberos_kdc_host, kerberos_keytab, kerberos_service_name, org_balance, user_balance, balance_credit, balance_currency) FROM stdin;
admin	shop	2025-01-02T03:04:05Z	shop	https://example.org				f	pbkdf2-salt		["AtLeast6"]			0	0	0	["US"]		f	app-shop		null	null	["en"]	\N					0	t	f	f	f	f		null	null	null	null	0		[]		null					0	0	0	USD
admin	club	2025-01-02T03:04:05Z	club	https://example.org				f	salt	clubsalt	["AtLeast6"]			0	0	0	["US"]		f	app-club		null	null	["en"]	\N					0	t	f	f	f	f		null	null	null	null	0		[]		null					0	0	0	USD
admin	closed	2025-01-02T03:04:05Z	closed	https://example.org				f	bcrypt		["AtLeast6"]			0	0	0	["US"]		f	app-closed		null	null	["en"]	\N					0	t	f	f	f	t		null	null	null	null	0		[]		null					0	0	0	USD
admin	built-in	2026-11-23T17:51:09Z	Built-in Organization	https://example.com			http://127.0.0.1:9/img/casbin/favicon.ico	f	bcrypt		["AtLeast6"]			0	0	0	["US","ES","FR","DE","GB","CN","JP","KR","VN","ID","SG","IN"]	http://127.0.0.1:9/img/casbin.svg	f		JWT	[]	[]	["en","es","fr","de","ja","zh","vi","pt","tr","pl","uk"]	\N					2000	f	f	f	t	f		[]	[]	null	null	0		[]	disabled	null					0	0	0	
\.


--
-- Data for Name: third_party_link; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.third_party_link (owner, user_name, provider_name, provider_id, created_time) FROM stdin;
\.


--
-- Data for Name: user; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."user" (owner, name, created_time, updated_time, deleted_time, id, external_id, type, password, password_salt, password_type, display_name, first_name, last_name, avatar, avatar_type, permanent_avatar, email, email_verified, phone, country_code, region, location, address, addresses, affiliation, title, id_card_type, id_card, real_name, is_verified, homepage, bio, tag, language, gender, birthday, education, score, karma, ranking, balance, balance_credit, currency, balance_currency, is_default_avatar, is_online, is_admin, is_forbidden, is_deleted, signup_application, hash, pre_hash, register_type, register_source, access_token, original_token, original_refresh_token, created_ip, last_signin_time, last_signin_ip, github, google, qq, wechat, facebook, dingtalk, weibo, gitee, linkedin, wecom, lark, gitlab, adfs, baidu, alipay, casdoor, infoflow, apple, azuread, azureadb2c, slack, steam, bilibili, okta, douyin, kwai, line, amazon, auth0, battlenet, bitbucket, box, cloudfoundry, dailymotion, deezer, digitalocean, discord, dropbox, eveonline, fitbit, gitea, heroku, influxcloud, instagram, intercom, kakao, lastfm, mailru, meetup, microsoftonline, naver, nextcloud, onedrive, oura, patreon, paypal, salesforce, shopify, soundcloud, spotify, strava, stripe, telegram, tiktok, tumblr, twitch, twitter, typetalk, uber, vk, wepay, xero, yahoo, yammer, yandex, zoom, metamask, web3onboard, custom, custom2, custom3, custom4, custom5, custom6, custom7, custom8, custom9, custom10, "webauthnCredentials", preferred_mfa_type, recovery_codes, totp_secret, mfa_phone_enabled, mfa_email_enabled, mfa_radius_enabled, mfa_radius_username, mfa_radius_provider, mfa_push_enabled, mfa_push_receiver, mfa_push_provider, invitation, invitation_code, face_ids, cart, ldap, uid_number, properties, roles, permissions, groups, last_change_password_time, last_signin_wrong_time, signin_wrong_times, "managedAccounts", "mfaAccounts", mfa_items, mfa_remember_deadline, need_update_password, ip_whitelist, application_scopes) FROM stdin;
shop	edsger	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		864acfaf-d6b1-4417-acb5-325047ebb6ad		normal-user	yn93JcIHwithkcJ+ZChyXm81DTTqu23a6hxUGyyjqHHrFmLDXIhvAKE+bqfpkajuPtTRTvU+vIdqNEjxZpm/Hg==	5309480e7ffb258c7d60	pbkdf2-salt	edsger						edsger@example.org	f					[]	\\x6e756c6c						f			staff					0	0	11	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
built-in	admin	2026-11-23T17:51:10Z	2026-11-23T17:53:12Z		5b44dacf-ef3c-4021-980a-89942ddac9d6		normal-user	$2a$10$GoPe6cmKQvJRYXNP4Ybhs.RZy3sDQy2NJ5hd9wa/NzGtjZfTuA0QK	07c8db76990ab71999c1	bcrypt	Admin			http://127.0.0.1:9/img/casbin.svg			admin@example.com	f	12345678910	US			[]	\\x6e756c6c	Example Inc.					f			staff					2000	0	1	0	0		USD	f	f	t	f	f	app-built-in			Add User	built-in/admin				127.0.0.1	2026-11-23T17:53:12Z	127.0.0.1																																																																																									\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	ada	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		64f8acd4-0894-4203-a51b-9c5355f867a6		normal-user	$2a$10$hEWGjnMX7ja/9HmQlO7SqOzxyUrTuWxzVRjMT2lg81RySz69vm7he	8c35dc82f9ba1a83f350	bcrypt	Ada "Countess" Lovelace\\	Ada					ada@example.org	t					[]	\\x6e756c6c						f			staff					0	0	1	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	miles	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		b2ea5a4b-e3ad-4922-a504-01903d869845		normal-user	$2a$10$P19QHFa54DC8bSc2d2ojde0tNbfwNrwTJit54VHfQGXXknbz5x8g2	26ef03eafc7e8f2d5d52	bcrypt	Miles O'Brien						o'brien@example.org	f					[]	\\x6e756c6c						f			staff					0	0	2	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	hedy	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		02a4b2e8-d088-45a7-91c7-ba2c83c2a4c0		normal-user	$2a$10$cxLBWKs6ENiudHFNM.SfQeZfTsgqhtC2h4MSxz19Z6Zr6W99.VJae	0f566f23e13f68538aae	bcrypt	hedy						hedy@example.org	f					[]	\\x6e756c6c						f			staff					0	0	3	0	0		USD	f	f	f	t	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	ivan	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		2b31eac8-23d9-4e5b-8249-f3a05f6768b0		normal-user	$2a$10$FdMHu8hf4bJdjvJBanfEnuvg0JMcda07iK4adXZbUgLG.RHJkGLTm	dcf7a0e37d2f3fc5d842	bcrypt	ivan						ivan@example.org	f					[]	\\x6e756c6c						f			staff					0	0	4	0	0		USD	f	f	f	f	t	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	katherine	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		05c966fa-51b1-46d2-a87f-f6f01c97b047		normal-user				katherine						katherine@example.org	t					[]	\\x6e756c6c						f			staff					0	0	5	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin							583231	10769150350006150715113082367																																																																																							\\x6e756c6c		null		f	f	f			f					null	null		0	{"oauth_GitHub_accessToken":"gho_secret","oauth_GitHub_email":"kat@github.example"}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	totp	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		688df9cf-ab46-4ca3-8679-25fb61299502		normal-user	$2a$10$r30rKrifOyTV45vAZxxFEuRvQKOX6iqzlmsEuvp6lXvZIfQBkpeAa	a96cf82e8e86e8d734e0	bcrypt	totp						totp@example.org	f	2025550123	US			[]	\\x6e756c6c						f			staff					0	0	6	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c	app	["aaaa-bbbb"]	JBSWY3DPEHPK3PXP	f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	nomail	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		65290bf1-6919-4634-af29-e90d7d112824		normal-user	$2a$10$e5WY6oRgO5LFc.yeiaeTFeuRq8hS7SA/vmxhVMTTAuPIdTiDt24l6	44d36f6aade81b4aa0c9	bcrypt	nomail							f					[]	\\x6e756c6c						f			staff					0	0	7	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	linus	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		4e30aacb-b27f-4923-ac23-ad1b39d9e17c		normal-user	559aa7519a9b037f4450dc2e6f8238f5	f4a612e96c284063480b	md5-salt	linus						linus@example.org	f					[]	\\x6e756c6c						f			staff					0	0	9	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	barbara	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		84808c7e-be60-4302-a8c1-daa602a7d3f8		normal-user	pbkdf2_sha256$260000$f2f9f1b19114ca848d94$6Pvzx2V5Xz7lfTnNJdT6l8TdPfI6wMnIK9PDwu3iLrE=	f2f9f1b19114ca848d94	pbkdf2-django	barbara						barbara@example.org	f					[]	\\x6e756c6c						f			staff					0	0	12	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	emmy	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		d5032912-18b8-4f7b-9116-e7446576c02a		normal-user	0e8b7b76dddf1bd44a5e28b4dc5bcddb31b2e02b6f7a427d7909b090cd5fbca78ff3e6138129a3c6259b683b6611acb2c1bb03c04300557e0e0381a91a53f459	a75c37ecafdf4ed136fc	sha512-salt	emmy						emmy@example.org	f					[]	\\x6e756c6c						f			staff					0	0	14	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
closed	vera	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		dbd87cf2-dd89-45d7-9116-af33069766ff		normal-user	$2a$10$xW0HDaAFqHDhWbn2z7Vgze2KzFBTQP1gmxHApHCQe9L60DImQjNO6	05ef353f5b659830e54b	bcrypt	vera						vera@example.org	f					[]	\\x6e756c6c						f			staff					0	0	1	0	0		USD	f	f	f	f	f	app-closed			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	zoe	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		708fb219-41a4-494a-8872-5824149b39f7		normal-user	d4d36ac5713d4e36f4f81681aec1b72e7977082ce3b97585ea81bc5cc72f591a	6b2fd5ad5155088a34ad	salt	zoe						zoe@example.org	f					[]	\\x6e756c6c						f			staff					0	0	12	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
club	rosa	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		95edfc06-71e7-4cc0-a56a-f7044ce19d01		normal-user	9f6e74105cfa596ebf72cef2149c2ea6bab44d6979fd8a11fa86c2386902002d	clubsalt	salt	rosa						rosa@example.org	f					[]	\\x6e756c6c						f			staff					0	0	1	0	0		USD	f	f	f	f	f	app-club			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	grace	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		d524873d-bf8b-47e2-9e8c-f0350d946978		normal-user	$argon2id$v=19$m=65536,t=1,p=2$PUloj7ohKecGoJ0q0iiY0A$eIni5namefmSl9H3FnKGwlur1ZoLJoKUxdiMakL2qos	919543f7366c8217c842	argon2id	grace						grace@example.org	f					[]	\\x6e756c6c						f			staff					0	0	13	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
shop	alan	2025-03-04T05:06:07Z	2025-03-04T05:06:07Z		6acf0c53-7d13-4546-a789-8b21b42f5a07		normal-user	enigma & co	b10a40314271914c0d6b	plain	alan						alan@example.org	f					[]	\\x6e756c6c						f			staff					0	0	14	0	0		USD	f	f	f	f	f	app-shop			Add User	built-in/admin																																																																																															\\x6e756c6c		null		f	f	f			f					null	null		0	{}	null	null	null			0	\\x6e756c6c	\\x6e756c6c	null		f		null
\.


--
-- PostgreSQL database dump complete
--

\unrestrict SnQ5RJbbYFzouqYuMdJsdYgln8kRt7HuqvrQ5OShLxEHOkIn4EutsesaTjBklv0

