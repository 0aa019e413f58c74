/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: mysql
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `global_priv`
--

DROP TABLE IF EXISTS `global_priv`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `global_priv` (
  `Host` char(255) NOT NULL DEFAULT '',
  `User` char(128) NOT NULL DEFAULT '',
  `Priv` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' CHECK (json_valid(`Priv`)),
  PRIMARY KEY (`Host`,`User`)
) ENGINE=Aria DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin PAGE_CHECKSUM=1 TRANSACTIONAL=1 COMMENT='Users and global privileges';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `global_priv`
--

LOCK TABLES `global_priv` WRITE;
/*!40000 ALTER TABLE `global_priv` DISABLE KEYS */;
INSERT INTO `global_priv` VALUES
('localhost','mariadb.sys','{\"access\":0,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"\",\"account_locked\":true,\"password_last_changed\":0}'),
('localhost','root','{\"access\":18446744073709551615}'),
('127.0.0.1','root','{\"access\":18446744073709551615}'),
('::1','root','{\"access\":18446744073709551615}'),
('','PUBLIC','{\"access\":0,\"is_role\":true}'),
('localhost','','{}'),
('%','ada','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*F14F59E12651CC0C44D9F1A3462DED43449DEB1F\",\"password_last_changed\":1795454087}'),
('localhost','grace hopper','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*A6C4A95EA0F4454BE3C3F6EBD99B6F52D978C005\",\"password_last_changed\":1795454087}'),
('%','zoë@example.org','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*78543F5953216A97E6652AB09AB4F214F4B7B815\",\"password_last_changed\":1795454087}'),
('%','emile','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*0D0FF7E807E773E0F4833546040AE4C952CBD975\",\"account_locked\":true,\"password_last_changed\":1795454087}'),
('%','linus','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*C158909612C70D2EBFBB7AEC8C8DD06E76EEECDA\",\"auth_or\":[{\"plugin\":\"unix_socket\"},{}],\"password_last_changed\":1795454087}'),
('%','hedy','{\"access\":0,\"version_id\":101119,\"plugin\":\"ed25519\",\"authentication_string\":\"MCeA/BVss1IdfkqFj3K9DvBDodPvouM7CDi5hoEKhGM\",\"password_last_changed\":1795454087}'),
('%','kath','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*0EEF0A88E0B64A112526D6D820E334303BE309D7\",\"password_last_changed\":0,\"password_lifetime\":-1}'),
('localhost','sock','{\"access\":0,\"version_id\":101119,\"plugin\":\"unix_socket\",\"authentication_string\":\"\",\"password_last_changed\":1795454087}'),
('%','bad','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"invalid\",\"password_last_changed\":1795454087}'),
('%','empty','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"\",\"password_last_changed\":1795454106}'),
('%','o\'neil','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_old_password\",\"authentication_string\":\"7a888a2e285f4e45\",\"password_last_changed\":1795454106}'),
('10.0.0.1','ada','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*F1D47B50372B5A15C98F5EA84D9CFDA4F1420796\",\"password_last_changed\":1795454106}'),
('','readers','{\"access\":0,\"version_id\":101119,\"is_role\":true}'),
('%','bob','{\"access\":0,\"version_id\":101119,\"plugin\":\"mysql_native_password\",\"authentication_string\":\"*122DDDB250FB791ED74627AE7C68DE92D69D7F3D\",\"password_last_changed\":1795454106,\"password_lifetime\":90}');
/*!40000 ALTER TABLE `global_priv` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-23 17:15:06
