--
-- PostgreSQL database dump

\restrict YI6crTlzBLcAY9T3PihbDj6SDNyjN3ZwllZ6g5TTumHu6FUViNCwFzhVqEaVgLj

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
-- Name: connectors; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.connectors (
    tenant_id character varying(21) NOT NULL,
    id character varying(128) NOT NULL,
    sync_profile boolean DEFAULT false NOT NULL,
    enable_token_storage boolean DEFAULT false NOT NULL,
    connector_id character varying(128) NOT NULL,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
--
-- Name: tenants; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.tenants (
    id character varying(21) NOT NULL,
    db_user character varying(128),
    db_user_password character varying(128),
    name character varying(128) DEFAULT 'My Project'::character varying NOT NULL,
    tag character varying(64) DEFAULT 'x'::character varying NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    is_suspended boolean DEFAULT false NOT NULL
);
--
-- Name: user_sso_identities; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.user_sso_identities (
    tenant_id character varying(21) NOT NULL,
    id character varying(21) NOT NULL,
    user_id character varying(12) NOT NULL,
    issuer character varying(256) NOT NULL,
    identity_id character varying(128) NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp without time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    sso_connector_id character varying(128) NOT NULL
);
--
-- Name: users; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.users (
    tenant_id character varying(21) NOT NULL,
    id character varying(12) NOT NULL,
    username character varying(128),
    primary_email character varying(128),
    primary_phone character varying(128),
    password_encrypted character varying(256),
    password_encryption_method public.users_password_encryption_method,
    name character varying(128),
    avatar character varying(2048),
    profile jsonb DEFAULT '{}'::jsonb NOT NULL,
    application_id character varying(21),
    cimd_client_id character varying(2048),
    identities jsonb DEFAULT '{}'::jsonb NOT NULL,
    custom_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    logto_config jsonb DEFAULT '{}'::jsonb NOT NULL,
    mfa_verifications jsonb DEFAULT '[]'::jsonb NOT NULL,
    is_suspended boolean DEFAULT false NOT NULL,
    is_password_expired boolean DEFAULT false NOT NULL,
    last_sign_in_at timestamp with time zone,
    password_updated_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
--
-- Data for Name: connectors; Type: TABLE DATA; Schema: public; Owner: -

COPY public.connectors (tenant_id, id, sync_profile, enable_token_storage, connector_id, config, metadata, created_at) FROM stdin;
\.
--
-- Data for Name: tenants; Type: TABLE DATA; Schema: public; Owner: -

COPY public.tenants (id, db_user, db_user_password, name, tag, created_at, is_suspended) FROM stdin;
default	logto_tenant_logto_default	x	My Project	x	2024-01-01 00:00:00+00	f
closed	logto_tenant_logto_closed	y	My Project	x	2024-01-01 00:00:00+00	t
\.
--
-- Data for Name: user_sso_identities; Type: TABLE DATA; Schema: public; Owner: -

COPY public.user_sso_identities (tenant_id, id, user_id, issuer, identity_id, detail, created_at, updated_at, sso_connector_id) FROM stdin;
\.
--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -

COPY public.users (tenant_id, id, username, primary_email, primary_phone, password_encrypted, password_encryption_method, name, avatar, profile, application_id, cimd_client_id, identities, custom_data, logto_config, mfa_verifications, is_suspended, is_password_expired, last_sign_in_at, password_updated_at, created_at, updated_at) FROM stdin;
default	u1	ann	ann@lo.example	\N	$argon2i$v=19$m=256,t=2,p=1$YzLoVd7aEOKMYM+13uF9WQ$mMoNaNsm3TI65T92Y0k3b6b/eCCvt84850zxWxqjk4s	Argon2i	\N	\N	{}	\N	\N	{}	{}	{}	[]	f	f	\N	\N	2024-01-01 00:00:00+00	2026-11-29 00:53:31.9902+00
default	u2	bad	bad@lo.example	\N	$argon2i$v=19$m=256,t=2,p=1$YzLoVd7aEOKMYM+13uF9WQ$mMoNaNsm3TI65T92Y0k3b6b/eCCvt84850zxWxqjk4s	Argon2i	\N	\N	{}	\N	\N	{}	{}	{}	[]	t	f	\N	\N	2024-01-01 00:00:00+00	2026-11-29 00:53:31.9902+00
default	u3	goo	goo@lo.example	\N	\N	\N	\N	\N	{}	\N	\N	{"google": {"userId": "10774", "details": {"email": "goo@lo.example"}}}	{}	{}	[]	f	f	\N	\N	2024-01-01 00:00:00+00	2026-11-29 00:53:31.9902+00
closed	u4	eve	eve@lo.example	\N	$argon2i$v=19$m=256,t=2,p=1$YzLoVd7aEOKMYM+13uF9WQ$mMoNaNsm3TI65T92Y0k3b6b/eCCvt84850zxWxqjk4s	Argon2i	\N	\N	{}	\N	\N	{}	{}	{}	[]	f	f	\N	\N	2024-01-01 00:00:00+00	2026-11-29 00:53:31.9902+00
\.
--
-- PostgreSQL database dump complete

\unrestrict YI6crTlzBLcAY9T3PihbDj6SDNyjN3ZwllZ6g5TTumHu6FUViNCwFzhVqEaVgLj

